#include "line/read_line.hpp"

#include "core/error.hpp"
#include "line/help.hpp"
#include "line/suggest.hpp"

namespace espalier::line {

std::optional<std::string> read_line(int argc, char** argv, const std::string& name,
                                     const std::string& purpose,
                                     const std::function<void(CLI::App&)>& declare) {
    CLI::App app(purpose, name);
    use_columns(app);
    declare(app);
    try {
        app.parse(argc, argv);
    } catch (const CLI::CallForHelp&) {
        return app.help();
    } catch (const CLI::ParseError& error) {
        refuse_left_over(app);
        throw InputError(error.what());
    }
    return std::nullopt;
}

}  // namespace espalier::line
