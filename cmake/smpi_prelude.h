/* What smpicxx puts before every source, so that a program's clocks and sleeps are simulated, less
   what gets into the way of C++ libraries: they have members called exit and free. A rank returns
   from main instead of calling exit. */
#ifndef ESPALIER_SMPI_PRELUDE_H
#define ESPALIER_SMPI_PRELUDE_H

#define SMPI_NO_OVERRIDE_MALLOC 1
#include <smpi/smpi_helpers.h>
#undef exit

#endif
