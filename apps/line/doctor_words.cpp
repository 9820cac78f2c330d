#include "line/doctor_words.hpp"

#include "line/app.hpp"

namespace espalier::line {

void add_doctor_options(CLI::App& app, DoctorWords& words) {
    app.add_option("-o,--output", words.output,
                   "file for what was seen and found; - is standard output")
        ->type_name("DOCTOR.json");
    app.add_flag("--json", words.json, "print that on standard output in place of the text");
}

}  // namespace espalier::line
