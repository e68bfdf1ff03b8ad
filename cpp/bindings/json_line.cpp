#include "json_line.hpp"

#include <nanobind/nanobind.h>

#include <array>
#include <string>

namespace shrubs::bindings {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

double value_in_python(std::string_view written) {
    const double value = PyOS_string_to_double(std::string(written).c_str(), nullptr, nullptr);
    if (value == -1.0 && PyErr_Occurred() != nullptr) {
        throw nanobind::python_error();
    }
    return value;
}

// So many digits are a number of 64 bits.
constexpr std::size_t max_digits = 18;
// A double holds whole numbers up to this one, and these powers of ten, exactly.
constexpr std::uint64_t largest_exact = std::uint64_t{1} << 53U;
constexpr auto powers_of_ten = [] {
    std::array<double, max_digits + 1> powers{};
    double power = 1.0;
    for (double& each : powers) {
        each = power;
        power *= 10.0;
    }
    return powers;
}();

}  // namespace

JsonLine::JsonLine(std::string_view line) : rest_(line) {
    if (rest_.ends_with('\r')) {
        rest_.remove_suffix(1);
    }
}

void JsonLine::skip_spaces() {
    while (rest_.starts_with(' ') || rest_.starts_with('\t')) {
        rest_.remove_prefix(1);
    }
}

bool JsonLine::is_at_end() {
    skip_spaces();
    return rest_.empty();
}

bool JsonLine::take(char c) {
    skip_spaces();
    if (!rest_.starts_with(c)) {
        return false;
    }
    rest_.remove_prefix(1);
    return true;
}

bool JsonLine::take_word(std::string_view word) {
    if (!rest_.starts_with(word)) {
        return false;
    }
    rest_.remove_prefix(word.size());
    return true;
}

bool JsonLine::take_text(JsonText& text) {
    if (!take('"')) {
        return false;
    }
    std::size_t n = 0;
    for (; n < rest_.size() && rest_[n] != '"'; ++n) {
        if (static_cast<unsigned char>(rest_[n]) < 0x20) {
            return false;
        }
        if (rest_[n] == '\\') {
            text.is_plain = false;
            ++n;
        }
    }
    if (n >= rest_.size()) {
        return false;
    }
    text.written = rest_.substr(0, n);
    rest_.remove_prefix(n + 1);
    return true;
}

bool JsonLine::take_number(JsonNumber& number) {
    skip_spaces();
    const std::string_view all = rest_;
    digits_ = 0;
    const bool is_negative = take_word("-");
    const bool begins_with_zero = rest_.starts_with('0');
    const std::size_t n_before = take_digits();
    std::size_t n_behind = 0;
    bool has_exponent = false;
    if (n_before == 0 || (begins_with_zero && n_before > 1) || !take_fraction(number, n_behind) ||
        !take_exponent(number, has_exponent)) {
        return false;
    }
    number.written = all.substr(0, all.size() - rest_.size());
    if (has_exponent || n_before + n_behind > max_digits || digits_ > largest_exact) {
        number.value = value_in_python(number.written);
    } else {  // a quotient of exact numbers is rounded once
        const double size = static_cast<double>(digits_) / powers_of_ten[n_behind];
        number.value = is_negative ? -size : size;
    }
    return number.value - number.value == 0.0;
}

bool JsonLine::take_fraction(JsonNumber& number, std::size_t& n_digits) {
    if (!take_word(".")) {
        return true;
    }
    number.is_integer = false;
    n_digits = take_digits();
    return n_digits > 0;
}

bool JsonLine::take_exponent(JsonNumber& number, bool& is_there) {
    is_there = take_word("e") || take_word("E");
    if (!is_there) {
        return true;
    }
    number.is_integer = false;
    static_cast<void>(take_word("+") || take_word("-"));
    return take_digits() > 0;
}

std::size_t JsonLine::take_digits() {
    std::size_t n = 0;
    for (; n < rest_.size() && is_digit(rest_[n]); ++n) {
        digits_ = 10 * digits_ + static_cast<std::uint64_t>(rest_[n] - '0');
    }
    rest_.remove_prefix(n);
    return n;
}

}  // namespace shrubs::bindings
