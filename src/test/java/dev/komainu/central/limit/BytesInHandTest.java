package dev.komainu.central.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

/** Tests of the budget of bytes. */
class BytesInHandTest {

    private final Refusals refusals = new Refusals(new SimpleMeterRegistry());
    private final BytesInHand budget = new BytesInHand(1_000, refusals);

    @Test
    void take_sumOfTwoBeyondBudget_isRefusedForNow_afterCloseTaken() {
        BytesInHand.Holding first = budget.open(false);
        first.take(700);
        BytesInHand.Holding second = budget.open(false);

        assertThatThrownBy(() -> second.take(301))
                .isInstanceOfSatisfying(
                        BytesExhaustedException.class,
                        e -> assertThat(e.permanent()).isFalse());
        first.close();
        second.take(1_000);

        assertThat(budget.held()).isEqualTo(1_000);
        assertThat(refusals.of(Refusal.BYTES_IN_HAND)).isEqualTo(1);
    }

    @Test
    void take_oneAloneBeyondBudget_isRefusedForGood() {
        BytesInHand.Holding only = budget.open(false);
        only.take(600);

        assertThatThrownBy(() -> only.take(401))
                .isInstanceOfSatisfying(
                        BytesExhaustedException.class,
                        e -> assertThat(e.permanent()).isTrue());
        assertThat(refusals.of(Refusal.BYTES_BEYOND_BUDGET)).isEqualTo(1);
    }

    @Test
    void take_strangers_leaveTheRestToCallers() {
        BytesInHand.Holding stranger = budget.open(true);
        stranger.take(100);

        assertThatThrownBy(() -> budget.open(true).take(1))
                .isInstanceOf(BytesExhaustedException.class);
        budget.open(false).take(900);

        assertThat(refusals.of(Refusal.STRANGERS_BYTES_IN_HAND)).isEqualTo(1);
    }

    @Test
    void authenticated_holding_returnsTheStrangersPart() {
        BytesInHand.Holding caller = budget.open(true);
        caller.take(100);
        caller.authenticated();

        budget.open(true).take(100);
        caller.close();

        assertThat(budget.held()).isEqualTo(100);
        assertThatThrownBy(() -> budget.open(true).take(1))
                .as("the strangers' part is still used up by the other one")
                .isInstanceOf(BytesExhaustedException.class);
    }

    @Test
    void take_negative_returnsBytes() {
        BytesInHand.Holding holding = budget.open(false);
        holding.take(800);
        holding.take(-700);

        budget.open(false).take(900);

        assertThat(holding.bytes()).isEqualTo(100);
    }
}
