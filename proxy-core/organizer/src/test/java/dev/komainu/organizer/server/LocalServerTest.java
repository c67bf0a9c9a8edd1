package dev.komainu.organizer.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.route.ServerState;
import dev.komainu.organizer.server.LocalServer.Ending;
import dev.komainu.organizer.server.ServerObservations.Observation;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LocalServerTest {

    @Test
    void look_listenerComesAndGoes_stateFollows() throws IOException {
        LocalServer server;
        try (ServerSocket listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            server = new LocalServer("127.0.0.1", listener.getLocalPort());
            server.check();
            assertThat(server.figures().state()).isEqualTo(ServerState.UP);
        }
        server.check();
        assertThat(server.figures().state()).isEqualTo(ServerState.STOPPED);
    }

    @Test
    void health_silence_saturatedThenStopped_oneAnswerEndsIt() {
        ServerObservations health = ServerObservations.GOOD.after(Observation.SILENCE);
        assertThat(health.state()).isEqualTo(ServerState.SATURATED);
        health = health.after(Observation.SILENCE).after(Observation.SILENCE);
        assertThat(health.state()).isEqualTo(ServerState.STOPPED);
        assertThat(health.after(Observation.ANSWER).state()).isEqualTo(ServerState.UP);
    }

    @Test
    void monitorState_holdsWhileTheServerResponds() {
        ServerObservations told = ServerObservations.GOOD.withMonitorState(ServerState.SATURATED);
        assertThat(told.after(Observation.ANSWER).state()).isEqualTo(ServerState.SATURATED);
        assertThat(told.after(Observation.REFUSAL).state()).isEqualTo(ServerState.STOPPED);
        assertThat(told.withMonitorState(ServerState.UP).state()).isEqualTo(ServerState.UP);
    }

    @Test
    void serviceTime_isTheMeanOfTheLastAnswers_andAfterAPauseOfTheNew() {
        AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
        LocalServer server = new LocalServer("127.0.0.1", 1, nanos::get);
        for (int i = 0; i < 100; i++) {
            server.ended(Ending.ANSWERED, 8_000);
        }
        server.ended(Ending.ANSWERED, 16_000);
        assertThat(server.figures().serviceMicros())
                .as("an eighth of the new one")
                .isEqualTo(9_000);
        nanos.addAndGet(Duration.ofSeconds(60).toNanos());
        server.ended(Ending.ANSWERED, 100);
        assertThat(server.figures().serviceMicros())
                .as("a response of a minute ago hardly counts")
                .isBetween(100L, 130L);
    }

    @Test
    void requests_areCounted_refusalStopsAtOnce() {
        LocalServer server = new LocalServer("127.0.0.1", 1, () -> 0);
        server.started();
        server.started();
        server.started();
        server.ended(Ending.ANSWERED, 800);
        server.ended(Ending.ANSWERED, 1600);
        assertThat(server.figures())
                .isEqualTo(new LocalServer.Figures(1, 1200, 2, 0, ServerState.UP));
        server.ended(Ending.REFUSED, 0);
        assertThat(server.figures())
                .isEqualTo(new LocalServer.Figures(0, 1200, 2, 1, ServerState.STOPPED));
        server.started();
        server.ended(Ending.GIVEN_UP, 5);
        server.started();
        server.ended(Ending.BROKEN, 5);
        assertThat(server.figures().faults()).isEqualTo(2);
    }
}
