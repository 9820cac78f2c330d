#pragma once

#include <cstdio>
#include <string>

namespace espalier::measure {

/// Hears how far the measuring is. Only rank 0's is told.
class Progress {
public:
    virtual ~Progress() = default;
    /// `stage` names what is being done, `fraction` of the budget is used up.
    virtual void report(const std::string& stage, double fraction) = 0;
    virtual void done() = 0;
};

/// A bar on one line of a terminal, rewritten in place and wiped away at the end.
class ProgressBar : public Progress {
public:
    explicit ProgressBar(std::FILE* terminal) : terminal_(terminal) {}
    void report(const std::string& stage, double fraction) override;
    void done() override;

    /// The line without the control characters around it.
    [[nodiscard]] static std::string line(const std::string& stage, double fraction);

private:
    std::FILE* terminal_;
};

}  // namespace espalier::measure
