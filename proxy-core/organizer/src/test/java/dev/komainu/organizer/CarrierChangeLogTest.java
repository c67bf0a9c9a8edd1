package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.organizer.line.LineAddress;
import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.endpoint.LineFigures;
import dev.komainu.organizer.member.EventLog;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CarrierChangeLogTest {

    private final EventLog events = new EventLog(() -> 1);
    private final CarrierChangeLog watch = new CarrierChangeLog(events);

    private static LineFigures line(String peer, LineCarrier over, String why) {
        LineAddress to = new LineAddress(InetAddress.getLoopbackAddress(), 7691, peer);
        return new LineFigures(to, over, why, List.of(), 0, 0, 0, Map.of(), 0, 0, 0, 0, "", 0);
    }

    private List<String> told() {
        return events.after(0).stream()
                .map(event -> event.kind().text() + " " + event.member() + ": " + event.text())
                .toList();
    }

    @Test
    void look_changesOfALine_areToldOnceEach() {
        LineFigures web1 = line("web1", LineCarrier.TCP, "begun so");
        LineFigures tcp = line("web2", LineCarrier.TCP, "0.02 % lost at 90 ms");
        LineFigures quic = line("web2", LineCarrier.QUIC, "1.10 % lost at 90 ms");
        watch.update(List.of(web1, tcp, tcp));
        assertThat(told()).isEmpty();
        // Two loops, each with its own line to the member.
        watch.update(List.of(web1, tcp, quic));
        watch.update(List.of(web1, quic, quic));
        assertThat(told())
                .containsExactly(
                        "line-changed web2: The line to web2 now runs over QUIC: 1.10 % lost at 90 ms");
        watch.update(List.of(web1, tcp, tcp));
        assertThat(told())
                .hasSize(2)
                .last()
                .isEqualTo(
                        "line-changed web2: The line to web2 now runs over TCP: 0.02 % lost at 90 ms");
    }

    @Test
    void look_memberThatIsNew_isNoChange() {
        watch.update(List.of(line("web2", LineCarrier.TCP, "begun so")));
        watch.update(List.of());
        watch.update(List.of(line("web2", LineCarrier.QUIC, "set so")));
        assertThat(told()).isEmpty();
    }
}
