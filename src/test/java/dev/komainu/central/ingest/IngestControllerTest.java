package dev.komainu.central.ingest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.startsWith;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.post;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.limit.BytesInHand;
import dev.komainu.central.limit.Refusals;
import dev.komainu.central.room.RoomWatch;
import dev.komainu.central.store.ConnectionQuery;
import dev.komainu.central.store.ModelStore;
import dev.komainu.central.store.RecordStore;
import dev.komainu.central.store.SomeRecords;
import dev.komainu.central.store.StoreException;
import dev.komainu.central.store.TimeRange;
import dev.komainu.telemetry.record.Batch;
import dev.komainu.telemetry.wire.BatchCodec;
import dev.komainu.telemetry.wire.Compression;
import dev.komainu.telemetry.wire.RecordJson;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;
import org.springframework.test.web.servlet.request.MockHttpServletRequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.util.unit.DataSize;

class IngestControllerTest {

    private static final String PATH = "/api/v1/ingest";

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final BytesInHand budget = BytesInHand.of(16 << 20, new Refusals(registry));
    private final List<Batch> shown = new ArrayList<>();
    private final ModelStore model = new ModelStore();
    private final SomeRecords some = new SomeRecords(3);
    private final Batch batch =
            some.batch("agent@web", 7, 20, SomeRecords.START, SomeRecords.SECOND);

    private MockMvc mvc(RecordStore store) {
        return mvc(store, DataSize.ofKilobytes(64));
    }

    private MockMvc mvc(RecordStore store, DataSize maxBody) {
        StaticListableBeanFactory beans = new StaticListableBeanFactory();
        beans.addBean("broken", (BatchListener) stored -> {
            throw new IllegalStateException("a listener's own trouble");
        });
        beans.addBean("good", (BatchListener) shown::add);
        IngestSettings settings = new IngestSettings(maxBody, Duration.ofSeconds(1), 2);
        return MockMvcBuilders.standaloneSetup(new IngestController(
                        settings,
                        store,
                        beans.getBeanProvider(BatchAdmission.class),
                        beans.getBeanProvider(BatchListener.class),
                        beans.getBeanProvider(OrderSource.class),
                        beans.getBeanProvider(JudgementSource.class),
                        beans.getBeanProvider(DetailSource.class),
                        source -> List.of(),
                        registry,
                        budget,
                        new ForeignReports(),
                        new SourceCredentials(new IdentityConcerns(), Clock.systemUTC()),
                        new SourceClocks(new IdentityConcerns(), Clock.systemUTC()),
                        new RoomWatch(List.of(), null),
                        Clock.systemUTC()))
                .build();
    }

    private static MockHttpServletRequestBuilder binary(byte[] body) {
        return post(PATH)
                .contentType("application/x-komainu-batch")
                .header("Content-Encoding", "zstd")
                .content(body);
    }

    private double batches(String outcome) {
        return registry.counter("komainu.ingest.batches", "outcome", outcome).count();
    }

    private int connections() {
        return model.connections(ConnectionQuery.of(List.of(), TimeRange.all(), 1000))
                .items()
                .size();
    }

    @Test
    void response_namesThisRun_anotherRunHasAnotherName() throws Exception {
        MockMvc mvc = mvc(model);
        String first = nameIn(mvc.perform(binary(BatchCodec.encode(batch))));
        String again = nameIn(mvc.perform(binary(BatchCodec.encode(batch))));
        String other = nameIn(mvc(new ModelStore()).perform(binary(BatchCodec.encode(batch))));

        assertThat(first).isNotBlank().isEqualTo(again).isNotEqualTo(other);
    }

    private static String nameIn(ResultActions answered) {
        return answered.andReturn().getResponse().getHeader("Komainu-Centre");
    }

    @Test
    void binaryBatch_isStoredShownOnceAndAcknowledged() throws Exception {
        MockMvc mvc = mvc(model);
        byte[] body = BatchCodec.encode(batch);

        mvc.perform(binary(body))
                .andExpect(status().isOk())
                .andExpect(content()
                        .json("{\"batch\":\"agent@web/1/7\",\"records\":20,\"duplicate\":false}"));
        mvc.perform(binary(body))
                .andExpect(status().isOk())
                .andExpect(jsonPath("$.duplicate").value(true));

        assertThat(shown).as("a failing listener stops nobody").containsExactly(batch);
        assertThat(registry.counter("komainu.ingest.listener.failures").count()).isEqualTo(1);
        assertThat(batches("stored")).isEqualTo(1);
        assertThat(batches("duplicate")).isEqualTo(1);
        assertThat(registry.find("komainu.ingest.records").counters().stream()
                        .mapToDouble(counter -> counter.count())
                        .sum())
                .isEqualTo(20);
    }

    @Test
    void ndjson_withAName_isRepeatableWithoutOneItIsNot() throws Exception {
        MockMvc mvc = mvc(model);
        String line = RecordJson.write(some.connection(SomeRecords.START));
        for (int i = 0; i < 2; i++) {
            mvc.perform(post(PATH)
                            .contentType("application/x-ndjson; charset=utf-8")
                            .header("Komainu-Batch", "a/b/1/" + 2)
                            .content(line + "\n\n" + line))
                    .andExpect(status().isOk())
                    .andExpect(jsonPath("$.batch").value("a/b/1/2"))
                    .andExpect(jsonPath("$.duplicate").value(i == 1));
        }
        assertThat(connections()).isEqualTo(2);
        for (int i = 0; i < 2; i++) {
            // Each batch has a source of its own: one connection that two sources report would be
            // listed once.
            String another = RecordJson.write(some.connection(SomeRecords.START + 1 + i));
            mvc.perform(post(PATH)
                            .contentType("application/x-ndjson")
                            .content(another + "\n" + another))
                    .andExpect(status().isOk())
                    .andExpect(jsonPath("$.batch").value(startsWith("ndjson/")))
                    .andExpect(jsonPath("$.duplicate").value(false));
        }
        assertThat(connections()).isEqualTo(6);
    }

    /** Faults drill 20: syntax, schema, 100 MB; the next batch flows. */
    @Test
    void poisonedBatches_getAProblemWithThePlaceAndTheNextFlows() throws Exception {
        MockMvc mvc = mvc(model);
        mvc.perform(binary(new byte[] {1, 2, 3}))
                .andExpect(status().isBadRequest())
                .andExpect(content().contentType("application/problem+json"))
                .andExpect(jsonPath("$.type").value("urn:komainu:problem:malformed-batch"))
                .andExpect(jsonPath("$.status").value(400))
                .andExpect(jsonPath("$.detail")
                        .value(startsWith("Malformed batch: not readable as zstd")));
        mvc.perform(binary(Compression.compress(new byte[] {0x08, 1})))
                .andExpect(jsonPath("$.detail")
                        .value("Malformed batch at byte 1: field 1 has wire type 0 (expected: 2)"));
        mvc.perform(post(PATH)
                        .contentType("application/x-ndjson")
                        .content("{\"type\":\"proxyExchange\",\"service\":7}"))
                .andExpect(status().isBadRequest())
                .andExpect(
                        jsonPath("$.detail")
                                .value(
                                        "Malformed record at line 1, column 35: service: 7 (expected: a string)"));
        mvc.perform(binary(Compression.compress(new byte[100 << 20])))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.detail")
                        .value("Malformed batch: its zstd frame announces 104857600 bytes"
                                + " (expected: at most 33554432)"));
        mvc.perform(post(PATH)
                        .contentType("application/x-ndjson")
                        .header("Komainu-Batch", "nonsense")
                        .content(""))
                .andExpect(status().isBadRequest())
                .andExpect(jsonPath("$.detail")
                        .value("Komainu-Batch: batch: nonsense (expected: SOURCE/EPOCH/SEQUENCE)"));
        assertThat(batches("malformed")).isEqualTo(5);

        mvc.perform(binary(BatchCodec.encode(batch))).andExpect(status().isOk());
    }

    @Test
    void bodyBeyondTheLimit_is413() throws Exception {
        mvc(model)
                .perform(binary(new byte[(64 << 10) + 1]))
                .andExpect(status().is(413))
                .andExpect(
                        jsonPath("$.detail").value("body: 65537 bytes (expected: at most 65536)"));
        assertThat(batches("too_large")).isEqualTo(1);
    }

    @Test
    void otherContent_is415WithTheExpectation() throws Exception {
        mvc(model)
                .perform(post(PATH).contentType("text/plain").content("hello"))
                .andExpect(status().is(415))
                .andExpect(jsonPath("$.detail")
                        .value("Content-Type: text/plain (expected: application/x-komainu-batch,"
                                + " application/x-ndjson)"));
        mvc(model)
                .perform(post(PATH)
                        .contentType("application/x-ndjson")
                        .header("Content-Encoding", "gzip")
                        .content("x"))
                .andExpect(status().is(415));
    }

    /** Returns the model with another behaviour of one method. */
    private RecordStore but(String method, Object answer) {
        return (RecordStore) Proxy.newProxyInstance(
                RecordStore.class.getClassLoader(),
                new Class<?>[] {RecordStore.class},
                (proxy, called, args) -> {
                    if (called.getName().equals(method)) {
                        if (answer instanceof Exception failure) {
                            throw failure;
                        }
                        return answer;
                    }
                    try {
                        return called.invoke(model, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Test
    void longBacklog_is503WithRetryAfterAndNothingIsRead() throws Exception {
        mvc(but("backlog", Duration.ofSeconds(7)))
                .perform(binary(BatchCodec.encode(batch)))
                .andExpect(status().is(503))
                .andExpect(header().string("Retry-After", "7"))
                .andExpect(jsonPath("$.type").value("urn:komainu:problem:busy"));
        assertThat(batches("busy")).isEqualTo(1);
        assertThat(model.storage().batches()).isZero();
    }

    @Test
    void failingStore_is503SoThatTheSenderKeepsTheBatch() throws Exception {
        mvc(but("append", new StoreException("store: batch not stored: disk full", null)))
                .perform(binary(BatchCodec.encode(batch)))
                .andExpect(status().is(503))
                .andExpect(header().string("Retry-After", "5"))
                .andExpect(jsonPath("$.detail").value("store: batch not stored: disk full"));
        assertThat(shown).isEmpty();
    }

    @Test
    void anyBytes_neverSurprise() throws Exception {
        MockMvc mvc = mvc(model);
        java.util.Random random = new java.util.Random(5);
        byte[] good = BatchCodec.encode(batch);
        for (int i = 0; i < 300; i++) {
            byte[] body = good.clone();
            body[random.nextInt(body.length)] ^= (byte) (1 << random.nextInt(8));
            int status = mvc.perform(binary(body)).andReturn().getResponse().getStatus();
            assertThat(status).isIn(200, 400);
            String text = new String(body, StandardCharsets.ISO_8859_1);
            mvc.perform(post(PATH).contentType("application/x-ndjson").content(text))
                    .andExpect(status().isBadRequest());
        }
    }

    @Test
    void batch_whileTheBudgetIsUsedUp_isRefusedForNow_andAcceptedAfterwards() throws Exception {
        MockMvc mvc = mvc(model);
        byte[] body = BatchCodec.encode(batch);
        try (BytesInHand.Holding others = budget.open(false)) {
            others.take(budget.total() - 1_000);

            mvc.perform(binary(body))
                    .andExpect(status().is(503))
                    .andExpect(header().exists("Retry-After"));
        }
        mvc.perform(binary(body)).andExpect(status().isOk());

        assertThat(budget.held()).isZero();
        assertThat(batches("busy")).isEqualTo(1);
    }

    @Test
    void batch_beyondTheWholeBudget_isRefusedForGood() throws Exception {
        Batch big = some.batch("agent@web", 8, 40_000, SomeRecords.START, SomeRecords.SECOND);
        byte[] body = BatchCodec.encode(big);

        mvc(model, DataSize.ofMegabytes(16)).perform(binary(body)).andExpect(status().is(413));

        assertThat(budget.held()).isZero();
    }
}
