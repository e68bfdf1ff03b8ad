#include "shrubs/generators/agrawal.hpp"

#include <algorithm>
#include <array>

namespace shrubs {

namespace {

constexpr std::uint32_t n_education = 5;
constexpr std::uint32_t n_cars = 20;
constexpr std::uint32_t n_zip_codes = 9;

struct Applicant {
    double salary;
    double commission;
    double house_value;
    double loan;
    std::uint32_t age;
    std::uint32_t education;
    std::uint32_t car;
    std::uint32_t zip_code;
    std::uint32_t years;
};

// By age: below 40, from 40, from 60.
using ByAge = std::array<double, 3>;

constexpr ByAge usual_income = {50'000.0, 75'000.0, 25'000.0};
constexpr ByAge income_with_fitting_education = {25'000.0, 50'000.0, 50'000.0};
constexpr ByAge loan_with_usual_income = {100'000.0, 200'000.0, 300'000.0};
constexpr ByAge loan_with_other_income = {200'000.0, 300'000.0, 100'000.0};
// Bit i: education level i.
constexpr std::array<std::uint32_t, 3> fitting_education = {0b00011, 0b01110, 0b11100};

std::size_t age_group(const Applicant& a) {
    return static_cast<std::size_t>(a.age >= 40) + static_cast<std::size_t>(a.age >= 60);
}

bool is_within(double value, double low, double width) {
    return (low <= value) & (value <= low + width);  // no branch: either test is a coin toss
}

bool has_usual_income(const Applicant& a, double income) {
    return is_within(income, usual_income[age_group(a)], 50'000.0);
}

bool has_fitting_education(const Applicant& a) {
    return ((fitting_education[age_group(a)] >> a.education) & 1U) != 0;
}

bool has_income_for_education(const Applicant& a) {
    const ByAge& low = has_fitting_education(a) ? income_with_fitting_education : usual_income;
    return is_within(a.salary, low[age_group(a)], 50'000.0);
}

bool has_loan_for_income(const Applicant& a) {
    const ByAge& low =
        has_usual_income(a, a.salary) ? loan_with_usual_income : loan_with_other_income;
    return is_within(a.loan, low[age_group(a)], 200'000.0);
}

double two_thirds_of_income(const Applicant& a) {
    return 2.0 * (a.salary + a.commission) / 3.0;
}

double cost_of_education(const Applicant& a) {
    return 5'000.0 * a.education;
}

double equity(const Applicant& a) {
    return a.years >= 20 ? a.house_value * (a.years - 20.0) / 10.0 : 0.0;
}

bool is_group_a(std::uint32_t function, const Applicant& a) {
    switch (function) {
        case 1: return age_group(a) != 1;
        case 2: return has_usual_income(a, a.salary);
        case 3: return has_fitting_education(a);
        case 4: return has_income_for_education(a);
        case 5: return has_loan_for_income(a);
        case 6: return has_usual_income(a, a.salary + a.commission);
        case 7: return two_thirds_of_income(a) - a.loan / 5.0 - 20'000.0 > 0.0;
        case 8: return two_thirds_of_income(a) - cost_of_education(a) - 20'000.0 > 0.0;
        case 9:
            return two_thirds_of_income(a) - cost_of_education(a) - a.loan / 5.0 - 10'000.0 > 0.0;
        default:
            return two_thirds_of_income(a) - cost_of_education(a) + equity(a) / 5.0 - 10'000.0 >
                   0.0;
    }
}

double largest_house_value(const Applicant& a) {
    return (9.0 - a.zip_code) * 100'000.0;
}

Applicant draw_applicant(Random& random) {
    Applicant a;
    a.salary = 20'000.0 + 130'000.0 * random.uniform();
    const double commission = 10'000.0 + 65'000.0 * random.uniform();
    a.commission = a.salary >= 75'000.0 ? 0.0 : commission;
    a.age = 20 + random.below(61);
    a.education = random.below(n_education);
    a.car = random.below(n_cars);
    a.zip_code = random.below(n_zip_codes);
    a.house_value = largest_house_value(a) * (0.5 + random.uniform());
    a.years = 1 + random.below(30);
    a.loan = 500'000.0 * random.uniform();
    return a;
}

struct Range {
    double low;
    double high;
};

// Moves numbers by up to `fraction` of a span, and not out of their range.
class Perturbation {
 public:
    Perturbation(double fraction, Random& random) : fraction_(fraction), random_(random) {}

    double operator()(double value, Range range) {
        return (*this)(value, range, range.high - range.low);
    }
    double operator()(double value, Range range, double span) {
        const double moved = value + span * (2.0 * random_.uniform() - 1.0) * fraction_;
        return std::min(std::max(moved, range.low), range.high);
    }

 private:
    double fraction_;
    Random& random_;
};

std::uint32_t round_half_up(double value) {
    return static_cast<std::uint32_t>(value + 0.5);
}

void perturb(Applicant& a, Perturbation moved) {
    a.salary = moved(a.salary, {20'000.0, 150'000.0});
    const double commission = moved(a.commission, {10'000.0, 75'000.0});
    a.commission = a.commission > 0.0 ? commission : 0.0;
    a.age = round_half_up(moved(a.age, {20.0, 80.0}));
    // As in MOA, the house value is cut to the range of the cheapest house.
    a.house_value = moved(a.house_value, {0.0, 135'000.0}, largest_house_value(a));
    a.years = round_half_up(moved(a.years, {1.0, 30.0}));
    a.loan = moved(a.loan, {0.0, 500'000.0});
}

// Writes `n` columns, a one in column `category`, and returns the first column after them.
float* write_one_hot(float* x, std::uint32_t n, std::uint32_t category) {
    std::fill_n(x, n, 0.0F);
    x[category] = 1.0F;
    return x + n;
}

float* write_categories(float* x, const Applicant& a, bool one_hot) {
    if (one_hot) {
        x = write_one_hot(x, n_education, a.education);
        x = write_one_hot(x, n_cars, a.car);
        return write_one_hot(x, n_zip_codes, a.zip_code);
    }
    *x++ = static_cast<float>(a.education);
    *x++ = static_cast<float>(a.car);
    *x++ = static_cast<float>(a.zip_code);
    return x;
}

void write(float* x, const Applicant& a, bool one_hot) {
    *x++ = static_cast<float>(a.salary);
    *x++ = static_cast<float>(a.commission);
    *x++ = static_cast<float>(a.age);
    x = write_categories(x, a, one_hot);
    *x++ = static_cast<float>(a.house_value);
    *x++ = static_cast<float>(a.years);
    *x++ = static_cast<float>(a.loan);
}

}  // namespace

std::uint16_t Agrawal::next(std::span<float> x) {
    Applicant applicant = draw_applicant(random_);
    bool is_a = is_group_a(options_.function, applicant);
    while (options_.balance && is_a != (next_class_ == 0)) {
        applicant = draw_applicant(random_);
        is_a = is_group_a(options_.function, applicant);
    }
    next_class_ = is_a ? 1 : 0;
    if (options_.perturbation > 0.0) {
        perturb(applicant, {options_.perturbation, random_});
    }
    write(x.data(), applicant, options_.one_hot);
    return is_a ? 0 : 1;
}

}  // namespace shrubs
