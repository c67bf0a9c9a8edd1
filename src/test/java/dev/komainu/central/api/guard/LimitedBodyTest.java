package dev.komainu.central.api.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.komainu.central.api.problem.BodyRefusedException;
import dev.komainu.central.limit.BytesInHand;
import dev.komainu.central.limit.Refusal;
import dev.komainu.central.limit.Refusals;
import dev.komainu.central.limit.RequestLimit;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import java.io.IOException;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Tests of a body's time, count and share of the budget, with a clock of their own. */
class LimitedBodyTest {

    private final Refusals refusals = new Refusals(new SimpleMeterRegistry());
    private final BytesInHand budget = BytesInHand.of(100_000, refusals);
    private final BytesInHand.Holding holding = budget.open(false);
    private Duration betweenBytes = Duration.ofSeconds(1);
    private long now;

    /** Returns a body that drips without end. */
    private LimitedBody dripping(int most, int heapPerByte) {
        return new LimitedBody(
                new ServletInputStream() {
                    @Override
                    public int read() {
                        now += betweenBytes.toNanos();
                        return 'a';
                    }

                    @Override
                    public int read(byte[] into, int from, int length) {
                        into[from] = (byte) read();
                        return 1;
                    }

                    @Override
                    public boolean isFinished() {
                        return false;
                    }

                    @Override
                    public boolean isReady() {
                        return true;
                    }

                    @Override
                    public void setReadListener(ReadListener listener) {
                        throw new IllegalStateException();
                    }
                },
                most,
                heapPerByte,
                holding,
                refusals,
                null,
                () -> now);
    }

    private static int status(Throwable refused) {
        return ((BodyRefusedException) refused).problem().status();
    }

    @Test
    void bodyThatDrips_isCutOffAfterATotalTime() {
        LimitedBody body = dripping(1_000, 1);

        assertThatThrownBy(body::readAllBytes)
                .isInstanceOfSatisfying(
                        BodyRefusedException.class, e -> assertThat(status(e)).isEqualTo(408));

        assertThat(Duration.ofNanos(now))
                .isLessThanOrEqualTo(RequestLimit.STRANGER_BODY_TIME.time().plus(betweenBytes));
        assertThat(refusals.of(Refusal.BODY_TIME)).isEqualTo(1);
    }

    @Test
    void bodyOfACaller_hasTheTimeOfCallers() {
        LimitedBody body = dripping(1_000, 1);
        body.authenticated();

        assertThatThrownBy(body::readAllBytes).isInstanceOf(BodyRefusedException.class);

        assertThat(Duration.ofNanos(now))
                .isGreaterThan(RequestLimit.CALLER_BODY_TIME.time())
                .isLessThanOrEqualTo(RequestLimit.CALLER_BODY_TIME.time().plus(betweenBytes));
    }

    @Test
    void bodyWithoutLength_isCutOffAtItsLimit() {
        betweenBytes = Duration.ZERO;
        LimitedBody body = dripping(1_000, 1);

        assertThatThrownBy(body::readAllBytes)
                .isInstanceOfSatisfying(
                        BodyRefusedException.class, e -> assertThat(status(e)).isEqualTo(413));

        assertThat(holding.bytes()).isEqualTo(1_000);
    }

    @Test
    void body_whileTheBudgetIsUsedUp_isRefusedForNow() throws IOException {
        betweenBytes = Duration.ZERO;
        budget.open(false).take(99_990);
        LimitedBody body = dripping(1_000, 4);
        assertThat(body.read()).isEqualTo('a');
        assertThat(body.read()).isEqualTo('a');

        assertThatThrownBy(body::read).isInstanceOfSatisfying(BodyRefusedException.class, e -> {
            assertThat(status(e)).isEqualTo(503);
            assertThat(e.retryAfter()).isPositive();
        });
    }
}
