// JSON Lines of requests that are alike: {"x": {...}, "y": ...} with the same names in the same
// order, behind a name always numbers or always texts. Whatever is not that simple, or wrong, is
// left to Python, which reads anything and says what is wrong.

#include <nanobind/stl/string.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "bindings.hpp"
#include "json_line.hpp"

namespace nb = nanobind;

namespace shrubs::bindings {

namespace {

class AlikeRows {
 public:
    /// `decode` reads a text of JSON, quotes and all.
    explicit AlikeRows(nb::callable decode) : decode_(std::move(decode)) {}

    /// False for one that is not like the others.
    bool add(std::string_view written) {
        JsonLine line(written);
        bool has_x = false;
        const std::size_t n_labels = labels_.size();
        if (!line.take('{')) {
            return false;
        }
        do {
            JsonText member;
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
        JsonText name;
        bool is_text = false;
        nb::list texts;
    };

    bool add_row(JsonLine& line) {
        std::size_t i = 0;
        if (!line.take('{')) {
            return false;
        }
        do {
            JsonText name;
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

    bool add_value(JsonLine& line, Column& column) {
        if (JsonText text; line.take_text(text)) {
            column.is_text = column.is_text || n_rows_ == 0;
            column.texts.append(shared(text));
            return column.is_text;
        }
        JsonNumber number;
        if (column.is_text || !line.take_number(number)) {
            return false;
        }
        numbers_.push_back(number.value);
        return true;
    }

    bool add_label(JsonLine& line) {
        JsonText text;
        JsonNumber number;
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
                held(PyLong_FromString(std::string(number.written).c_str(), nullptr, 10)));
        } else {
            labels_.append(number.value);
        }
        return true;
    }

    nb::object read(const JsonText& text) const {
        const std::string_view written = text.written;
        const auto size = static_cast<Py_ssize_t>(written.size());
        if (text.is_plain) {
            return held(PyUnicode_DecodeUTF8(written.data(), size, nullptr));
        }
        return decode_(held(PyUnicode_DecodeUTF8(written.data() - 1, size + 2, nullptr)));
    }
    static nb::object held(PyObject* made) {
        if (made == nullptr) {
            throw nb::python_error();
        }
        return nb::steal(made);
    }

    // Texts that come again are the same object.
    nb::object shared(const JsonText& text) {
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
