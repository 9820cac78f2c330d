#include "refine/nonlinear_rates.hpp"
