package dev.komainu.central.ingest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.central.access.IdentityConcerns;
import dev.komainu.central.access.IdentityConcerns.Concern;
import dev.komainu.central.ingest.SourceCredentials.Credential;
import dev.komainu.central.store.SettableClock;
import dev.komainu.telemetry.record.BatchId;
import org.junit.jupiter.api.Test;

class SourceCredentialsTest {

    private static final String SOURCE = "agent@web-01";

    private final IdentityConcerns concerns = new IdentityConcerns();
    private final SourceCredentials credentials =
            new SourceCredentials(concerns, new SettableClock("2026-11-28T00:00:00Z"));

    private long sequence;

    private void send(long run, String address) {
        send(run, address, Credential.CERTIFICATE);
    }

    private void send(long run, String address, Credential kind) {
        credentials.note(
                new BatchId(SOURCE, run, ++sequence), new Sender("part", null, kind, address));
    }

    @Test
    void twoProcessesInTurn_fromTwoAddresses_areTold() {
        send(1, "192.0.2.1");
        send(2, "192.0.2.9");
        assertThat(concerns.all()).isEmpty();

        send(1, "192.0.2.1");

        assertThat(concerns.all().get(SOURCE).concern()).isEqualTo(Concern.TWO_SPEAK_AS_ONE);
        assertThat(concerns.all().get(SOURCE).detail()).contains("192.0.2.9", "192.0.2.1");
    }

    @Test
    void restart_andRecordsOfTheFormerRun_areOneProcess() {
        send(1, "192.0.2.1");
        send(2, "192.0.2.1");
        send(1, "192.0.2.1"); // from the spool
        send(2, "192.0.2.1");

        assertThat(concerns.all()).isEmpty();
    }

    @Test
    void addressThatChanges_alsoBackAgain_isOneProcess() {
        send(1, "192.0.2.1");
        send(1, "192.0.2.2");
        send(1, "192.0.2.1");
        send(1, "192.0.2.2");

        assertThat(concerns.all()).isEmpty();
    }

    @Test
    void move_withRestart_isOneProcess() {
        send(1, "192.0.2.1");
        send(2, "192.0.2.2");
        send(2, "192.0.2.2");

        assertThat(concerns.all()).isEmpty();
    }

    @Test
    void credential_isThatOfTheNewestBatch() {
        assertThat(credentials.of(SOURCE)).isEmpty();
        send(1, "192.0.2.1", Credential.SHARED_TOKEN);
        assertThat(credentials.count(Credential.SHARED_TOKEN)).isOne();

        send(1, "192.0.2.1", Credential.CERTIFICATE);

        assertThat(credentials.of(SOURCE)).contains(Credential.CERTIFICATE);
        assertThat(credentials.count(Credential.SHARED_TOKEN)).isZero();
    }
}
