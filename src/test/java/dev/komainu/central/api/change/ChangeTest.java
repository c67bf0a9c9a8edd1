package dev.komainu.central.api.change;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.CentralClient;
import dev.komainu.central.CentralTest;
import dev.komainu.central.access.Role;
import dev.komainu.central.access.Scope;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Tests of changes: recorded once, listed newest first, with keys that are distinct for each
 * caller.
 */
class ChangeTest extends CentralTest {

    private static final String CHANGES = "/api/v1/changes";

    @Test
    void record_wholeRequest_comesBackInTheList() {
        Map<String, String> change = Map.of(
                "service", "whole:80",
                "title", "More workers",
                "setting", "worker_connections",
                "before", "512",
                "after", "4096",
                "adviceId", "nginx-connections",
                "diagnosisId", "17",
                "note", "at the morning's peak");

        CentralClient.Answer answer =
                browser(Role.OPERATOR).post(CHANGES, change).expect(201);

        assertThat(answer.json().get("by").asString()).isEqualTo("test-operator");
        assertThat(browser(Role.VIEWER)
                        .get(CHANGES + "?service=whole:80")
                        .json()
                        .at("/items/0"))
                .isEqualTo(answer.json());
    }

    @Test
    void note_ofAnEarlierTime_isRecordedOnceAtThatTime() {
        String notes = "/api/v1/services/noted:80/notes";
        Instant at = Instant.now().minusSeconds(3_600).truncatedTo(ChronoUnit.SECONDS);
        browser(Role.VIEWER).post(notes, Map.of("text", "t")).expect(403);
        assertThat(browser(Role.OPERATOR)
                        .post(notes, Map.of("text", "", "at", Instant.now().plusSeconds(600)))
                        .expect(400)
                        .body())
                .contains("text: ", "at: ");

        CentralClient operator = browser(Role.OPERATOR).withHeader("Idempotency-Key", "note");
        Map<String, String> note =
                Map.of("text", "The campaign's mail went out", "at", at.toString());
        JsonNode made = operator.post(notes, note).expect(201).json();

        assertThat(operator.post(notes, note).expect(201).json()).isEqualTo(made);
        assertThat(Instant.parse(made.get("at").asString())).isEqualTo(at);
        assertThat(made.get("isNote").asBoolean()).isTrue();
    }

    @Test
    void record_sameKeySameBody_answersTheSameAndRecordsOnce() {
        CentralClient operator = browser(Role.OPERATOR).withHeader("Idempotency-Key", "once");
        Map<String, String> change = Map.of("service", "once:80", "title", "t");

        CentralClient.Answer first = operator.post(CHANGES, change).expect(201);
        CentralClient.Answer second = operator.post(CHANGES, change).expect(201);

        assertThat(second.json()).isEqualTo(first.json());
        assertThat(operator.get(CHANGES + "?service=once:80").json().get("items"))
                .hasSize(1);
    }

    @Test
    void record_sameKeyOtherBody_isRefused() {
        CentralClient operator = browser(Role.OPERATOR).withHeader("Idempotency-Key", "reused");
        operator.post(CHANGES, Map.of("service", "reused:80", "title", "one")).expect(201);

        assertThat(operator.post(CHANGES, Map.of("service", "reused:80", "title", "two"))
                        .expect(422)
                        .problem())
                .isEqualTo("idempotency-key-reused");
        machine(Scope.TUNING_RUN)
                .withHeader("Idempotency-Key", "reused")
                .post(CHANGES, Map.of("service", "reused:80", "title", "another caller's key"))
                .expect(201);
    }

    @Test
    void record_sameKeyAtTheSameMoment_recordsOnce() throws Exception {
        int callers = 8;
        CentralClient machine =
                machine(Scope.TUNING_RUN, Scope.SERVERS_READ).withHeader("Idempotency-Key", "race");
        CyclicBarrier together = new CyclicBarrier(callers);
        Callable<String> post = () -> {
            together.await();
            return machine.post(CHANGES, Map.of("service", "race:80", "title", "t"))
                    .expect(201)
                    .json()
                    .get("id")
                    .asString();
        };
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Stream<String> ids =
                    threads
                            .invokeAll(IntStream.range(0, callers)
                                    .mapToObj(i -> post)
                                    .toList())
                            .stream()
                            .map(Future::resultNow);
            assertThat(ids.distinct()).hasSize(1);
        }
    }

    @Test
    void list_pageByPage_isNewestFirst() {
        for (String title : new String[] {"a", "b", "c"}) {
            browser(Role.OPERATOR)
                    .post(CHANGES, Map.of("service", "pages:80", "title", title))
                    .expect(201);
        }

        CentralClient.Answer first =
                browser(Role.VIEWER).get(CHANGES + "?service=pages:80&limit=2");
        CentralClient.Answer second = browser(Role.VIEWER)
                .get(CHANGES + "?service=pages:80&limit=2&cursor="
                        + first.json().get("nextCursor").asString());

        assertThat(first.json().get("items").findValuesAsString("title")).containsExactly("c", "b");
        assertThat(second.json().get("items").findValuesAsString("title")).containsExactly("a");
        assertThat(second.json().get("nextCursor").isNull()).isTrue();
    }
}
