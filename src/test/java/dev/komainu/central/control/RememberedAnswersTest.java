package dev.komainu.central.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.InvalidDataAccessApiUsageException;

/** Tests of the answers that are used while the database is away. */
class RememberedAnswersTest {

    private Instant now = Instant.parse("2026-11-28T10:00:00Z");
    private final InstantSource source = () -> now;
    private final Clock clock = source.withZone(ZoneOffset.UTC);
    private final RememberedAnswers<String> answers = new RememberedAnswers<>(clock);

    private Optional<String> away() {
        throw new DataAccessResourceFailureException(
                "away", new SQLException("no connection", "08001"));
    }

    @Test
    void ask_away_answersForALimitedTimeWhatTheDatabaseSaid() {
        assertThat(answers.ask("a", () -> Optional.of("A"))).contains("A");
        now = now.plus(RememberedAnswers.LIFE);
        assertThat(answers.ask("a", this::away)).contains("A");

        now = now.plus(Duration.ofMillis(1));
        assertThatThrownBy(() -> answers.ask("a", this::away))
                .isInstanceOf(DataAccessResourceFailureException.class);
    }

    @Test
    void ask_away_neverKnewIt_isTheOutage() {
        assertThatThrownBy(() -> answers.ask("a", this::away))
                .isInstanceOf(DataAccessResourceFailureException.class);
    }

    @Test
    void ask_databaseSaysNo_isForgottenAtOnce() {
        assertThat(answers.ask("a", () -> Optional.of("A"))).isPresent();
        assertThat(answers.ask("a", Optional::empty)).isEmpty();

        assertThatThrownBy(() -> answers.ask("a", this::away))
                .isInstanceOf(DataAccessResourceFailureException.class);
    }

    @Test
    void ask_afterRightsWereTaken_isTheOutage() {
        assertThat(answers.ask("a", () -> Optional.of("A"))).isPresent();
        answers.clear();

        assertThatThrownBy(() -> answers.ask("a", this::away))
                .isInstanceOf(DataAccessResourceFailureException.class);
    }

    @Test
    void ask_rightsAreTakenWhileTheDatabaseAnswers_isNotRemembered() {
        assertThat(answers.ask("a", () -> {
                    answers.clear();
                    return Optional.of("A");
                }))
                .contains("A");

        assertThatThrownBy(() -> answers.ask("a", this::away))
                .isInstanceOf(DataAccessResourceFailureException.class);
    }

    @Test
    void ask_away_answerCountsNoMore_isTheOutage() {
        assertThat(answers.ask("a", () -> Optional.of("A"), "B"::equals))
                .as("the database's own answer is not judged")
                .contains("A");
        assertThat(answers.ask("a", this::away, "A"::equals)).contains("A");

        assertThatThrownBy(() -> answers.ask("a", this::away, "B"::equals))
                .isInstanceOf(DataAccessResourceFailureException.class);
    }

    @Test
    void ask_afterItsOwnAnswerWasForgotten_isTheOutage_othersStay() {
        assertThat(answers.ask("a", () -> Optional.of("A"))).isPresent();
        assertThat(answers.ask("b", () -> Optional.of("B"))).isPresent();
        answers.forget("a");

        assertThatThrownBy(() -> answers.ask("a", this::away))
                .isInstanceOf(DataAccessResourceFailureException.class);
        assertThat(answers.ask("b", this::away)).contains("B");
    }

    @Test
    void ask_clockWasSetBack_isTheOutage() {
        assertThat(answers.ask("a", () -> Optional.of("A"))).isPresent();
        now = now.minus(Duration.ofDays(400));

        assertThatThrownBy(() -> answers.ask("a", this::away))
                .isInstanceOf(DataAccessResourceFailureException.class);
    }

    @Test
    void ask_anotherFailure_isNotHidden() {
        assertThat(answers.ask("a", () -> Optional.of("A"))).isPresent();

        assertThatThrownBy(() -> answers.ask("a", () -> {
                    throw new InvalidDataAccessApiUsageException("a mistake of ours");
                }))
                .isInstanceOf(InvalidDataAccessApiUsageException.class);
    }
}
