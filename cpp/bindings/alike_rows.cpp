// JSON Lines of requests that are alike: {"x": {...}, "y": ...} with the same names in the same
// order, behind a name always numbers or always texts. Whatever is not that simple, or wrong, is
// left to Python, which reads anything and says what is wrong.

#include <nanobind/stl/string.h>

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

// What stands between two quotes, as it is written.
struct Text {
    std::string_view written;
    bool is_plain = true;  ///< nothing in it is escaped
};

struct Number {
    double value = 0.0;
    bool is_integer = true;
    std::string_view written;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Python reads it as it reads any other.
double value_of(std::string_view written) {
    const double value = PyOS_string_to_double(std::string(written).c_str(), nullptr, nullptr);
    if (value == -1.0 && PyErr_Occurred() != nullptr) {
        throw nb::python_error();
    }
    return value;
}

// The powers of ten that a double holds exactly.
constexpr auto powers_of_ten = [] {
    std::array<double, 23> powers{};
    double power = 1.0;
    for (double& each : powers) {
        each = power;
        power *= 10.0;
    }
    return powers;
}();

// Reads one line. Nothing breaks a line but its end: what is read here may go into a log.
class Line {
 public:
    explicit Line(std::string_view line) : rest_(line) {
        if (rest_.ends_with('\r')) {
            rest_.remove_suffix(1);
        }
    }

    bool is_at_end() {
        skip_spaces();
        return rest_.empty();
    }
    /// Whether the next character is this one, which is then read.
    bool take(char c) {
        skip_spaces();
        if (!rest_.starts_with(c)) {
            return false;
        }
        rest_.remove_prefix(1);
        return true;
    }
    bool take_word(std::string_view word) {
        if (!rest_.starts_with(word)) {
            return false;
        }
        rest_.remove_prefix(word.size());
        return true;
    }
    bool take_text(Text& text) {
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
    bool take_number(Number& number) {
        skip_spaces();
        const std::string_view all = rest_;
        const bool is_negative = take_word("-");
        const std::size_t n_before = take_digits();
        if (n_before == 0 || (n_before > 1 && all[is_negative ? 1 : 0] == '0')) {
            return false;
        }
        std::size_t n_behind = 0;
        if (take_word(".")) {
            n_behind = take_digits();
            number.is_integer = false;
            if (n_behind == 0) {
                return false;
            }
        }
        const bool has_exponent = take_word("e") || take_word("E");
        if (has_exponent) {
            number.is_integer = false;
            static_cast<void>(take_word("+") || take_word("-"));
            if (take_digits() == 0) {
                return false;
            }
        }
        number.written = all.substr(0, all.size() - rest_.size());
        // A quotient of two exact numbers is rounded once.
        constexpr std::uint64_t largest_exact = std::uint64_t{1} << 53U;
        const bool is_quick = !has_exponent && n_before + n_behind <= 18 &&
                              n_behind < powers_of_ten.size() && digits_ <= largest_exact;
        const double size = static_cast<double>(digits_) / powers_of_ten[is_quick ? n_behind : 0];
        number.value = !is_quick ? value_of(number.written) : is_negative ? -size : size;
        digits_ = 0;
        return number.value - number.value == 0.0;
    }

 private:
    void skip_spaces() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) {
            rest_.remove_prefix(1);
        }
    }
    std::size_t take_digits() {
        std::size_t n = 0;
        for (; n < rest_.size() && is_digit(rest_[n]); ++n) {
            digits_ = 10 * digits_ + static_cast<std::uint64_t>(rest_[n] - '0');
        }
        rest_.remove_prefix(n);
        return n;
    }

    std::string_view rest_;
    std::uint64_t digits_ = 0;  // of the number at hand, as one
};

class AlikeRows {
 public:
    /// `decode` reads a text of JSON, quotes and all.
    explicit AlikeRows(nb::callable decode) : decode_(std::move(decode)) {}

    /// False for one that is not like the others.
    bool add(std::string_view written) {
        Line line(written);
        bool has_x = false;
        const std::size_t n_labels = labels_.size();
        if (!line.take('{')) {
            return false;
        }
        do {
            Text member;
            if (!line.take_text(member) || !line.take(':')) {
                return false;
            }
            const bool is_read = member.written == "x" ? !has_x && add_row(line)
                                 : member.written == "y" && labels_.size() == n_labels
                                     ? add_label(line)
                                     : false;
            has_x = has_x || member.written == "x";
            if (!is_read) {
                return false;
            }
        } while (line.take(','));
        ++n_rows_;
        return has_x && line.take('}') && line.is_at_end() &&
               (labels_.size() == 0 || labels_.size() == n_rows_);
    }

    /// Names of numbers, their matrix, texts by name, labels or None; None if a name comes twice.
    nb::object to_python() {
        nb::list names;
        nb::dict texts;
        nb::set all;
        for (const Column& column : columns_) {
            const nb::object name = read(column.name);
            if (all.contains(name)) {
                return nb::none();
            }
            all.add(name);
            if (column.is_text) {
                texts[name] = column.texts;
            } else {
                names.append(name);
            }
        }
        const std::size_t width = nb::len(names);
        NewArray<double, 2> matrix({n_rows_, width});
        std::ranges::copy(numbers_, matrix.data());
        return nb::make_tuple(names, matrix.to_python(), texts,
                              labels_.size() == 0 ? nb::none() : nb::object(labels_));
    }

 private:
    struct Column {
        Text name;
        bool is_text = false;
        nb::list texts;
    };

    bool add_row(Line& line) {
        std::size_t i = 0;
        if (!line.take('{')) {
            return false;
        }
        do {
            Text name;
            if (!line.take_text(name) || !line.take(':')) {
                return false;
            }
            if (n_rows_ == 0) {
                columns_.push_back({name});
            } else if (i == columns_.size() || columns_[i].name.written != name.written) {
                return false;
            }
            if (!add_value(line, columns_[i])) {
                return false;
            }
            ++i;
        } while (line.take(','));
        return line.take('}') && i == columns_.size();
    }

    bool add_value(Line& line, Column& column) {
        if (Text text; line.take_text(text)) {
            column.is_text = column.is_text || n_rows_ == 0;
            column.texts.append(shared(text));
            return column.is_text;
        }
        Number number;
        if (column.is_text || !line.take_number(number)) {
            return false;
        }
        numbers_.push_back(number.value);
        return true;
    }

    bool add_label(Line& line) {
        Text text;
        Number number;
        if (line.take_text(text)) {
            labels_.append(shared(text));
        } else if (line.take_word("true")) {
            labels_.append(true);
        } else if (line.take_word("false")) {
            labels_.append(false);
        } else if (!line.take_number(number)) {
            return false;
        } else if (number.is_integer) {
            labels_.append(
                nb::steal(PyLong_FromString(std::string(number.written).c_str(), nullptr, 10)));
        } else {
            labels_.append(number.value);
        }
        return true;
    }

    nb::object read(const Text& text) const {
        const std::string_view written = text.written;
        // The quotes are there.
        nb::object found = nb::steal(
            text.is_plain
                ? PyUnicode_DecodeUTF8(written.data(), size_of(written), nullptr)
                : PyUnicode_DecodeUTF8(written.data() - 1, size_of(written) + 2, nullptr));
        if (!found.is_valid()) {
            throw nb::python_error();
        }
        return text.is_plain ? found : decode_(found);
    }
    static Py_ssize_t size_of(std::string_view written) {
        return static_cast<Py_ssize_t>(written.size());
    }

    // Texts that come again are the same object.
    nb::object shared(const Text& text) {
        nb::object& known = texts_[text.written];
        if (!known.is_valid()) {
            known = read(text);
        }
        return known;
    }

    nb::callable decode_;
    std::vector<Column> columns_;
    std::vector<double> numbers_;  // row by row
    nb::list labels_;
    std::unordered_map<std::string_view, nb::object> texts_;
    std::size_t n_rows_ = 0;
};

// None if they are not alike, or more than `max_rows`.
nb::object read_alike_rows(const nb::bytes& body, std::size_t max_rows, nb::callable decode) {
    AlikeRows rows(std::move(decode));
    std::string_view rest(body.c_str(), body.size());
    std::size_t n = 0;
    try {
        while (!rest.empty()) {
            const std::size_t end = rest.find('\n');
            if (n++ == max_rows || !rows.add(rest.substr(0, end))) {
                return nb::none();
            }
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        }
        return n == 0 ? nb::none() : rows.to_python();
    } catch (nb::python_error& error) {
        if (error.matches(PyExc_ValueError)) {  // a text that is none
            return nb::none();
        }
        throw;
    }
}

}  // namespace

void bind_alike_rows(nb::module_& module) {
    module.def("read_alike_rows", &read_alike_rows, nb::arg("body"), nb::arg("max_rows"),
               nb::arg("decode"),
               nb::sig("def read_alike_rows(body: bytes, max_rows: int, decode: "
                       "collections.abc.Callable[[str], str]) -> tuple[list[str], "
                       "numpy.typing.NDArray[numpy.float64], dict[str, list[str]], "
                       "list[str | int | float] | None] | None"));
}

}  // namespace shrubs::bindings
