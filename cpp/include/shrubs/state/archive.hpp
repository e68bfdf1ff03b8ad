#pragma once

// One description of a state for three uses: a component that passes all it keeps to an archive has
// its bytes counted, written, or read and checked.

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace shrubs {

static_assert(std::endian::native == std::endian::little, "written for little-endian machines");

inline bool is_finite(double value) {
    return value - value == 0.0;
}
inline bool is_finite_or_missing(double value) {
    return value != value || is_finite(value);
}
inline bool is_within(double value, double largest) {
    return value >= -largest && value <= largest;
}
inline bool is_finite_and_not_negative(double value) {
    return value >= 0.0 && is_finite(value);
}

class Archive {
 public:
    static Archive counting() { return {}; }
    static Archive writing(std::span<std::byte> out) {
        Archive archive;
        archive.out_ = out.data();
        return archive;
    }
    static Archive reading(std::span<const std::byte> in, std::size_t at = 0) {
        Archive archive;
        archive.in_ = in;
        archive.at_ = at;
        archive.reads_ = true;
        return archive;
    }

    bool reads() const { return reads_; }
    /// False once a read value was wrong or behind the end. Everything then reads as zero.
    bool ok() const { return ok_; }
    bool at_end() const { return ok_ && at_ == in_.size(); }
    /// Bytes so far.
    std::size_t at() const { return at_; }

    /// What is read has to be so.
    void require(bool holds) { ok_ = ok_ && (holds || !reads_); }

    template <class T>
    void value(T& value) {
        array(std::span<T>(&value, 1));
    }
    template <class T>
    void array(std::span<T> values) {
        if (reads_) {
            const auto bytes = take(values.size_bytes());
            if (bytes.size() == values.size_bytes() && !bytes.empty()) {
                std::memcpy(values.data(), bytes.data(), bytes.size());
            } else {
                std::ranges::fill(values, T{});
            }
        } else {
            put(std::as_bytes(values));
        }
    }
    /// Each value that is read has to be `valid`.
    template <class T, class Valid>
    void array(std::span<T> values, Valid valid) {
        array(values);
        require(!reads_ || std::ranges::all_of(values, valid));
    }
    /// Bytes that nobody looks into: writes these, or finds as many.
    std::span<const std::byte> bytes(std::span<const std::byte> own, std::uint64_t size) {
        if (reads_) {
            return take(size);
        }
        put(own);
        return own;
    }

 private:
    std::span<const std::byte> take(std::uint64_t size) {
        if (!ok_ || size > in_.size() - at_) {
            ok_ = false;
            return {};
        }
        at_ += static_cast<std::size_t>(size);
        return in_.subspan(at_ - static_cast<std::size_t>(size), static_cast<std::size_t>(size));
    }
    void put(std::span<const std::byte> bytes) {
        if (out_ != nullptr && !bytes.empty()) {
            std::memcpy(out_ + at_, bytes.data(), bytes.size());
        }
        at_ += bytes.size();
    }

    std::byte* out_ = nullptr;
    std::span<const std::byte> in_;
    std::size_t at_ = 0;
    bool reads_ = false;
    bool ok_ = true;
};

}  // namespace shrubs
