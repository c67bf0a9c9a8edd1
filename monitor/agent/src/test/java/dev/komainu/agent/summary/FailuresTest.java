package dev.komainu.agent.summary;

import static dev.komainu.agent.packet.Talk.ACK;
import static dev.komainu.agent.packet.Talk.FIN;
import static dev.komainu.agent.packet.Talk.RST;
import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.agent.packet.Frame;
import dev.komainu.agent.packet.Talk;
import dev.komainu.telemetry.record.Failures;
import dev.komainu.telemetry.record.ServiceWindow;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Failures that clients see, and for each the traffic that only looks like it. */
class FailuresTest {

    private static final Failures NONE = new Failures(0, 0, 0, 0, 0, 0);
    private static final String BUSY = "HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n";
    private static final String PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0, "");

    private final List<Frame> frames = new ArrayList<>();
    private int talks;

    @Test
    void serverResets_everyRequestInProgress_isUnanswered() {
        talk().get("/a").get("/b").down(RST | ACK, "");
        talk().request("POST /c HTTP/1.1\r\nContent-Length: 90\r\n\r\nhalf of it")
                .down(RST, "");

        assertThat(failures()).isEqualTo(new Failures(3, 0, 0, 0, 0, 0));
    }

    @Test
    void serverResets_noRequestOrResponseBegun_isNoFailure() {
        talk().down(RST | ACK, "");
        talk().get("/a").ok("x").down(RST | ACK, "");
        talk().get("/a")
                .answer("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nha")
                .down(RST | ACK, "");
        talk().get("/a").answer("HTTP/1.1 2").down(RST | ACK, "");
        talk().get("/a").answer("HTTP/1.1 2").closeByServer();

        assertThat(failures()).isEqualTo(NONE);
    }

    @Test
    void serverCloses_requestItHadReceived_isUnanswered() {
        talk().get("/a").closeByServer();
        talk().request("POST /c HTTP/1.1\r\nContent-Length: 9000\r\n\r\nbegun")
                .down(ACK, "")
                .request("on its way")
                .send(
                        false,
                        FIN | ACK,
                        101,
                        1 + 1 + "POST /c HTTP/1.1\r\nContent-Length: 9000\r\n\r\nbegun".length(),
                        "");

        assertThat(failures()).isEqualTo(new Failures(0, 2, 0, 0, 0, 0));
    }

    @Test
    void serverClosesAnIdleConnection_requestOnItsWay_isNoFailure() {
        Talk captured = talk().get("/a").ok("x");
        int received = captured.clientNext;
        captured.get("/b").send(false, FIN | ACK, captured.serverNext, received, "");
        captured.down(RST, "");
        Talk behind = talk().get("/a").ok("x").down(FIN | ACK, "").get("/b");
        behind.down(RST, "");

        assertThat(failures()).isEqualTo(NONE);
    }

    @Test
    void serverClosesAndStillResponds_lateSegment_isNoFailure() {
        Talk talk = talk().get("/a").ok("x");
        Frame answer = talk.last();
        talk.closeByServer();
        talk.frames().remove(answer);
        talk.frames().add(answer.at(answer.micros() + 1_500));

        assertThat(failures()).isEqualTo(NONE);
    }

    @Test
    void clientLeavesFirst_isNoFailure() {
        talk().get("/a").up(RST, "");
        talk().get("/a").closeByClient();
        talk().get("/a").up(FIN | ACK, "").down(RST | ACK, "");
        // Health checks that send no request.
        talk().up(RST | ACK, "");
        talk().closeByClient();

        assertThat(failures()).isEqualTo(NONE);
    }

    @Test
    void unavailable_withRetryAfter_isDeliberateAndAnErrorStill() {
        talk().get("/a")
                .answer(BUSY + "rEtry-afteR: 120\r\n\r\n")
                .get("/b")
                .answer(BUSY + "Retry-A")
                .answer("fter: Fri, 31 Dec 1999 23:59:59 GMT\r\n\r\n");
        talk().get("/a")
                .answer(BUSY + "Retry-Afterwards: 1\r\nX-Retry-After: 2\r\nRetry: 3\r\n\r\n");
        talk().get("/a").answer(BUSY + "\r\n").get("/b").answer(BUSY + "Range: x\r\n\r\n");
        talk().get("/a").answer("HTTP/1.1 500 No\r\nRetry-After: 3\r\nContent-Length: 0\r\n\r\n");

        assertThat(failures()).isEqualTo(new Failures(0, 0, 2, 0, 0, 0));
        assertThat(windows()).extracting(window -> window.exchanges().errors()).containsExactly(6L);
    }

    @Test
    void http2_unavailableByIndexAndByName_isDeliberate() {
        // :status 503, retry-after by its index (53, first with indexing, then
        // out of the table), then by name.
        String status = "\110\003503";
        talk().request(PREFACE + ask(1) + ask(3) + ask(5) + ask(7) + ask(9))
                .answer(frame(4, 0, 0, "")
                        + frame(1, 5, 1, status + "\165\0015")
                        + frame(1, 5, 3, "\277\276")
                        + frame(1, 5, 5, "\277" + "\0" + "\13retry-after" + "\0019")
                        + frame(1, 5, 7, "\277")
                        // 500 with Retry-After.
                        + frame(1, 5, 9, "\216\276"));

        assertThat(failures()).isEqualTo(new Failures(0, 0, 3, 0, 0, 0));
    }

    @Test
    void http2_serverResetsOrCloses_openStreamsAreUnanswered() {
        talk().request(PREFACE + ask(1) + ask(3)).answer(frame(1, 5, 3, "\210")).down(RST, "");
        talk().request(PREFACE + ask(1) + ask(3)).answer(frame(1, 5, 3, "\210")).closeByServer();

        assertThat(failures()).isEqualTo(new Failures(1, 1, 0, 0, 0, 0));
    }

    @Test
    void wrongDocumentRoot_pagesThatWereThere_areLost() {
        talk().get("/a?q=1")
                .ok("x")
                .request("HEAD /b HTTP/1.1\r\n\r\n")
                .answer("HTTP/1.1 304 Same\r\n\r\n");
        // Another connection, a second later.
        Talk later = talk().pause(1_000_000);
        gone(later.get("/a?q=2"), 404);
        gone(later.get("/b"), 403);
        gone(later.get("/b"), 410);

        assertThat(failures()).isEqualTo(new Failures(0, 0, 0, 3, 0, 0));
    }

    @Test
    void crawler_pathsThatNeverWere_areNotLost() {
        talk().get("/a").ok("x").get("/a").ok("x");
        Talk crawler = talk();
        for (int i = 0; i < 300; i++) {
            gone(crawler.get("/wp-admin/" + i), 404);
        }
        String post = "POST /orders HTTP/1.1\r\nContent-Length: 0\r\n\r\n";
        gone(crawler.request(post).ok("x").request(post), 404);
        // Neither counts a path that was never requested by GET or HEAD, nor another refusal.
        gone(crawler.request("POST /a HTTP/1.1\r\nContent-Length: 0\r\n\r\n"), 404);
        gone(crawler.get("/a"), 401);

        assertThat(failures()).isEqualTo(NONE);
    }

    private static void gone(Talk talk, int status) {
        talk.answer("HTTP/1.1 " + status + " No\r\nContent-Length: 0\r\n\r\n");
    }

    private static String ask(int stream) {
        return frame(1, 5, stream, "\202\204");
    }

    private static String frame(int type, int flags, int stream, String payload) {
        return "\0\0" + (char) payload.length() + (char) type + (char) flags + "\0\0\0"
                + (char) stream + payload;
    }

    private Talk talk() {
        talks++;
        return new Talk("10.0.0.1:" + (40_000 + talks), "10.0.0.2:80", 1, 100, frames).handshake();
    }

    private List<ServiceWindow> windows() {
        List<Frame> inTime = new ArrayList<>(frames);
        inTime.sort(Comparator.comparingLong(Frame::micros));
        return Analysis.of(inTime).windows();
    }

    private Failures failures() {
        Failures sum = Failures.sum(windows());
        assertThat(sum).isNotNull();
        return sum;
    }
}
