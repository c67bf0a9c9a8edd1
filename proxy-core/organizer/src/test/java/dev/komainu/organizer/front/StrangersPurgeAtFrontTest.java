package dev.komainu.organizer.front;

import static org.assertj.core.api.Assertions.assertThat;

import dev.komainu.intermediary.access.AccessList;
import dev.komainu.intermediary.kit.RawClient;
import dev.komainu.intermediary.kit.ScriptedOrigin;
import dev.komainu.organizer.front.Cluster.Member;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Strangers who send PURGE to a front: its server, a cache, sees the front's address and trusts it.
 */
class StrangersPurgeAtFrontTest {

    private final Cluster cluster = new Cluster(Duration.ofSeconds(60));
    private ScriptedOrigin cache;

    @BeforeEach
    void setUp() throws Exception {
        cache = new ScriptedOrigin();
        cache.ok("/a", "", "done");
        cache.ok("/squid-internal-mgr/info", "", "done");
        cache.ok("/squid-internal-mgrs", "", "an ordinary page");
    }

    @AfterEach
    void tearDown() throws Exception {
        cluster.close();
        cache.close();
    }

    private static final AccessList LOOPBACK = AccessList.LOOPBACK;

    private Member member(String name, AccessList purgers) throws Exception {
        cluster.access = new FrontAccess(purgers, AccessList.NONE);
        return cluster.member(name);
    }

    @Test
    void clientThatIsNotListed_isRefused_andTheServerHearsNothing() throws Exception {
        Member front = member("front", AccessList.NONE);
        cluster.serves(front, "test.example/", cache.port());
        try (RawClient client = new RawClient(front.address())) {
            assertThat(client.request("PURGE", "/a").status()).isEqualTo(403);
            assertThat(client.request("BAN", "/a").status()).isEqualTo(403);
            assertThat(client.get("/squid-internal-mgr/info").status()).isEqualTo(403);
            assertThat(client.get("/squid-internal-mgrs").body()).isEqualTo("an ordinary page");
        }
        assertThat(cache.requests.stream().map(ScriptedOrigin.Request::path))
                .containsExactly("/squid-internal-mgrs");
        assertThat(front.count(GatewayError.NOT_ALLOWED)).isEqualTo(3);
    }

    @Test
    void clientThatIsListed_mayPurge_butNotThroughAnotherProxy() throws Exception {
        Member front = member("front", LOOPBACK);
        cluster.serves(front, "test.example/", cache.port());
        try (RawClient client = new RawClient(front.address())) {
            assertThat(client.request("PURGE", "/a").body()).isEqualTo("done");
            for (String field : new String[] {
                "Via: 1.1 x", "Forwarded: for=x", "X-Forwarded-For: 192.0.2.1", "X-Real-IP: x"
            }) {
                assertThat(client.request("PURGE", "/a", field).status())
                        .as(field)
                        .isEqualTo(403);
            }
        }
        assertThat(cache.count("/a")).isOne();
    }

    @Test
    void purgeOverALine_isRefusedByTheMemberThatServes() throws Exception {
        Member front = member("front", LOOPBACK);
        Member web = member("web", LOOPBACK);
        cluster.serves(web, "test.example/", cache.port());
        try (RawClient client = new RawClient(front.address())) {
            assertThat(client.get("/a").body()).isEqualTo("done");
            assertThat(client.request("PURGE", "/a").status()).isEqualTo(403);
        }
        assertThat(cache.count("/a")).isOne();
        assertThat(web.count(GatewayError.NOT_ALLOWED)).isOne();
    }

    @Test
    void addressInAProxyProtocolHeader_countsAgainstTheList() throws Exception {
        cluster.access = new FrontAccess(LOOPBACK, LOOPBACK);
        Member front = cluster.member("front");
        cluster.serves(front, "test.example/", cache.port());
        try (RawClient client = new RawClient(front.address())) {
            client.send("PROXY TCP4 192.0.2.9 127.0.0.1 4000 80\r\n");
            assertThat(client.request("PURGE", "/a").status()).isEqualTo(403);
            assertThat(client.get("/a").body()).isEqualTo("done");
        }
        assertThat(cache.requests.getFirst().field("x-forwarded-for")).isEqualTo("192.0.2.9");
        try (RawClient client = new RawClient(front.address())) {
            assertThat(client.send("GET /a HTTP/1.1\r\nHost: test.example\r\n\r\n")
                            .closedByPeer())
                    .isTrue();
        }
        // Netty's decoder closes the connection before it reports the error.
        Awaitility.await()
                .untilAsserted(() ->
                        assertThat(front.count(FrontCounts.Kind.MALFORMED)).isOne());
    }
}
