package dev.komainu.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Fields behind a body, both ways (RFC 9110 section 6.5). */
class TrailersTest {

    private ScriptedOrigin origin;
    private ProxyFixture proxy;
    private RawClient client;

    @BeforeEach
    void setUp() throws IOException {
        origin = new ScriptedOrigin();
        proxy = new ProxyFixture("origin", origin.url());
        client = proxy.client();
    }

    @AfterEach
    void tearDown() throws IOException {
        client.close();
        proxy.close();
        origin.close();
    }

    private void behind(String control, String trailers) {
        origin.respond(
                "/x",
                "HTTP/1.1 200 OK\r\n" + control
                        + "Trailer: Checksum, Set-Cookie\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "2\r\nhi\r\n0\r\n" + trailers + "\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"Cache-Control: no-store\r\n", "Cache-Control: max-age=60\r\n"})
    void ofAnAnswer_reachAClientThatTakesThem(String control) throws IOException {
        behind(control, "Checksum: abc\r\nServer-Timing: a\r\n");
        RawClient.Answer answer = client.get("/x", "TE: trailers", "Connection: TE");
        assertThat(answer.body()).isEqualTo("hi");
        assertThat(client.trailers).containsExactly("Checksum: abc", "Server-Timing: a");
        assertThat(origin.requests.getLast().field("TE")).isEqualTo("trailers");
        assertThat(origin.requests.getLast().field("Connection")).isEqualTo("TE");
        // The connection stays in step.
        assertThat(client.get("/y").status()).isEqualTo(404);
    }

    @Test
    void ofAnAnswer_areAnnouncedWhereTheyMayCome() throws IOException {
        behind("Cache-Control: no-store\r\n", "Checksum: abc\r\n");
        assertThat(client.get("/x", "TE: trailers").field("Trailer")).isEqualTo("Checksum");
        assertThat(client.get("/x").head()).doesNotContain("Trailer");
    }

    @Test
    void ofAnAnswer_areNotSentToOthers() throws IOException {
        behind("Cache-Control: no-store\r\n", "Checksum: abc\r\n");
        assertThat(client.get("/x").body()).isEqualTo("hi");
        assertThat(client.trailers).isEmpty();
        client.send("GET /x HTTP/1.0\r\nHost: test.example\r\nTE: trailers\r\n\r\n");
        assertThat(client.rest()).endsWith("\r\n\r\nhi");
        assertThat(origin.requests.getLast().head()).doesNotContain("TE:");
    }

    @Test
    void ofAStoredAnswer_areNotStored() throws IOException {
        behind("Cache-Control: max-age=60\r\n", "Checksum: abc\r\n");
        client.get("/x", "TE: trailers");
        RawClient.Answer hit = client.get("/x", "TE: trailers");
        assertThat(hit.field("Content-Length")).isEqualTo("2");
        assertThat(hit.head()).doesNotContain("Checksum").doesNotContain("Trailer");
        assertThat(origin.count("/x")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5",
                "Transfer-Encoding: chunked",
                "Set-Cookie: a=b",
                "Cache-Control: max-age=9",
                "Location: /z",
                "Content-Type: text/html",
                "Host: evil",
                "If-Match: a",
                "Proxy-Authenticate: Basic",
                "Connection: close"
            })
    void thatFrameOrControl_areDropped(String trailer) throws IOException {
        behind("Cache-Control: no-store\r\n", trailer + "\r\nChecksum: abc\r\n");
        client.get("/x", "TE: trailers");
        assertThat(client.trailers).containsExactly("Checksum: abc");
        assertThat(client.get("/y").status()).isEqualTo(404);
    }

    @Test
    void ofAnUpload_reachTheOriginWhenAnnouncedAndHarmless() throws IOException {
        origin.ok("/up", "", "done");
        client.send(
                "POST /up HTTP/1.1\r\nHost: test.example\r\n"
                        + "Trailer: Checksum, Authorization, X-Forwarded-For\r\nTransfer-Encoding: chunked\r\n\r\n"
                        + "2\r\nhi\r\n0\r\nChecksum: abc\r\nAuthorization: Basic x\r\nX-Forwarded-For: 1\r\nUnsaid: 1\r\n\r\n");
        assertThat(client.read(false).body()).isEqualTo("done");
        assertThat(origin.trailers).containsExactly("Checksum: abc");
        assertThat(origin.requests.getLast().field("Trailer")).isEqualTo("Checksum");
        assertThat(origin.requests.getLast().body()).isEqualTo("hi");
    }
}
