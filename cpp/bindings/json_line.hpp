#pragma once

// One line of JSON, read from left to right. It takes less than JSON allows: line breaks are no
// spaces, so that what was read can go into a file of lines.

#include <cstdint>
#include <string_view>

namespace shrubs::bindings {

/// What stands between two quotes, as it is written.
struct JsonText {
    std::string_view written;
    bool is_plain = true;  ///< nothing in it is escaped
};

struct JsonNumber {
    double value = 0.0;
    bool is_integer = true;
    std::string_view written;
};

/// Every `take` says whether it found what it asks for. Where it did not, the line is of no use.
class JsonLine {
 public:
    explicit JsonLine(std::string_view line);

    bool is_at_end();
    bool take(char c);
    /// True, false or null, without spaces before it.
    bool take_word(std::string_view word);
    bool take_text(JsonText& text);
    /// A finite number, with the bits that Python gives it.
    bool take_number(JsonNumber& number);

 private:
    void skip_spaces();
    std::size_t take_digits();
    bool take_fraction(JsonNumber& number, std::size_t& n_digits);
    bool take_exponent(JsonNumber& number, bool& is_there);

    std::string_view rest_;
    std::uint64_t digits_ = 0;  // of the number at hand, as one
};

}  // namespace shrubs::bindings
