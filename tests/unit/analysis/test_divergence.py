from shrubs.analysis.divergence import loss_limit


def test_losses_near_each_other_have_no_limit():
    assert loss_limit([1.0, 4.9]) is None


def test_a_run_that_diverges_does_not_set_the_limit():
    assert loss_limit([2.0, 3.0, 1e34]) == 10.0


def test_a_run_without_loss_does_not_set_the_limit():
    assert loss_limit([0.0, 2.0, 11.0]) == 10.0


def test_without_runs_there_is_no_limit():
    assert loss_limit([]) is None
