package dev.komainu.organizer.member;

import static dev.komainu.organizer.member.Group.awaitAgreement;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.komainu.organizer.member.EventLog.Kind;
import dev.komainu.organizer.member.Group.Member;
import dev.komainu.organizer.route.MemberId;
import dev.komainu.organizer.route.ServedRoute;
import dev.komainu.organizer.route.UrlPrefix;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes without the right to join, and members that exceed their grant. */
class StrangersTest {

    private static final String OTHER_SECRET = "Zq71mWc0PvT4nLx9Rb6Ks2Yd8Hf3Ja5G";

    @TempDir
    Path directory;

    @Test
    void strangerWithAnotherSecret_staysAlone_andLearnsNothing() throws IOException {
        try (Group group = new Group(directory)) {
            Member a = group.start("a", "h/");
            Member b = group.start("b", "h/");
            awaitAgreement(a, b);
            Member stranger = group.startWithSecret("stranger", OTHER_SECRET, "h/");
            // A permitted member joins after the stranger, and is seen: so there was time to see
            // the stranger, too.
            Member c = group.start("c", "h/");
            awaitAgreement(a, b, c);
            assertThat(a.membership.size()).isEqualTo(3);
            assertThat(stranger.membership.size()).isEqualTo(1);
            assertThat(stranger.membership.table().announcements()).hasSize(1);
        }
    }

    @Test
    void strangerWithoutACertificate_getsNotAByteOfTheGroup() throws Exception {
        try (Group group = new Group(directory)) {
            Member a = group.start("a", "h/");
            SSLContext trusting = SSLContext.getInstance("TLSv1.3");
            trusting.init(null, new TrustManager[] {new TrustAllManager()}, new SecureRandom());
            try (SSLSocket socket = (SSLSocket) trusting.getSocketFactory()
                    .createSocket(InetAddress.getLoopbackAddress(), group.seed())) {
                socket.setSoTimeout(30_000);
                assertThatThrownBy(() -> {
                            // In TLS 1.3 the client completes before the server has verified it:
                            // the first read fails.
                            socket.startHandshake();
                            InputStream in = socket.getInputStream();
                            assertThat(in.read()).isEqualTo(-1);
                            throw new IOException("closed without a byte");
                        })
                        .isInstanceOf(IOException.class);
            }
            try (Socket plain = new Socket(InetAddress.getLoopbackAddress(), group.seed())) {
                plain.setSoTimeout(30_000);
                plain.getOutputStream()
                        .write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                byte[] answered = plain.getInputStream().readAllBytes();
                assertThat(new String(answered, StandardCharsets.ISO_8859_1)).doesNotContain("h/");
            }
            Member b = group.start("b", "h/");
            awaitAgreement(a, b);
        }
    }

    /** Trust manager that trusts every server. */
    private static final class TrustAllManager implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    @Test
    void certificates_ofOneAuthority_meet() throws Exception {
        SecretIdentity issued = SecretIdentity.of(Group.SECRET, "one");
        SecretIdentity foreign = SecretIdentity.of(OTHER_SECRET, "two");
        Credentials ours = credentials("ours", issued, issued);
        try (Group group = new Group(directory)) {
            Member a = group.start("a", ours, "h/");
            Member b = group.start("b", ours, "h/");
            awaitAgreement(a, b);
            Member stranger =
                    group.start("stranger", credentials("foreign", foreign, issued), "h/");
            Member c = group.start("c", ours, "h/");
            awaitAgreement(a, b, c);
            assertThat(stranger.membership.size()).isEqualTo(1);
        }
    }

    private Credentials credentials(String name, SecretIdentity own, SecretIdentity trusted)
            throws Exception {
        Path certificate = pem(name + ".crt", "CERTIFICATE", own.certificate().getEncoded());
        Path key = pem(name + ".key", "PRIVATE KEY", own.key().getEncoded());
        Path authorities =
                pem(name + ".ca", "CERTIFICATE", trusted.certificate().getEncoded());
        return Credentials.ofCertificates(certificate, key, authorities);
    }

    private Path pem(String name, String kind, byte[] bytes) throws IOException {
        return Files.writeString(
                directory.resolve(name),
                "-----BEGIN " + kind + "-----\n"
                        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes)
                        + "\n-----END " + kind + "-----\n");
    }

    private static ServedRoute route(String prefix) {
        return new ServedRoute(UrlPrefix.parse(prefix), 1, 1, false, "");
    }

    private Grants grants(
            String authority, Path key, String member, LocalDate until, String prefix, long now)
            throws IOException {
        Path file = directory.resolve(member + "-" + prefix.replace('/', '_') + ".grant");
        GrantAuthority.grant(
                key, "test", new MemberId(member), until, List.of(UrlPrefix.parse(prefix)), file);
        return Grants.read(
                authority, file, "test", new MemberId(member), List.of(route(prefix)), now);
    }

    @Test
    void member_outsideItsGrantOrWithAnothers_isRefusedByAll_insideItServes() throws IOException {
        LocalDate until = LocalDate.of(2030, 1, 1);
        AtomicLong wall = new AtomicLong(Instant.parse("2029-12-31T12:00:00Z").toEpochMilli());
        Path key = directory.resolve("authority");
        String authority = GrantAuthority.create(key);
        try (Group group = new Group(directory, wall::incrementAndGet)) {
            group.grants = grants(authority, key, "a", until, "h/", wall.get());
            Member a = group.start("a", "h/");
            group.grants = grants(authority, key, "b", until.plusYears(1), "h/shop/", wall.get());
            Member b = group.start("b", "h/shop/cart/");
            awaitAgreement(a, b);

            // This member considers itself granted, and announces more.
            Grants own = group.grants;
            Member greedy = group.start("b2", "h/");
            assertThatThrownBy(() -> b.membership.serve(List.of(Group.route("h/")), false))
                    .hasMessageContaining("h/ (expected: inside this member's grant");
            group.grants = new Grants(own.authority(), null, null);
            Member bare = group.start("bare", "h/");
            await().atMost(Duration.ofSeconds(60)).until(() -> refusals(a).size() >= 2);
            assertThat(refusals(a))
                    .anyMatch(text -> text.startsWith("b2 is not trusted: it presents b's grant"));
            assertThat(refusals(a)).contains("bare presents no grant");
            assertThat(a.membership.size())
                    .as("they may join, but not announce")
                    .isEqualTo(4);
            awaitAgreement(a, b);
            assertThat(greedy.membership.table().digest())
                    .isNotEqualTo(a.membership.table().digest());
            bare.membership.close();
            greedy.membership.close();

            wall.set(until.plusDays(1).atStartOfDay(ZoneOffset.UTC).toInstant().toEpochMilli());
            awaitTable(b, "b");
            assertThat(refusals(b)).contains("a's grant ended");
        }
    }

    @Test
    void member_announcesOutsideItsGrant_isRefused() throws IOException {
        LocalDate until = LocalDate.of(2030, 1, 1);
        long now = Instant.parse("2029-01-01T00:00:00Z").toEpochMilli();
        AtomicLong wall = new AtomicLong(now);
        Path key = directory.resolve("authority");
        String authority = GrantAuthority.create(key);
        try (Group group = new Group(directory, wall::incrementAndGet)) {
            group.grants = grants(authority, key, "a", until, "h/", now);
            Member a = group.start("a", "h/");
            group.grants = grants(authority, key, "b", until, "h/shop/", now);
            // The program checks this at its start; here the attacker's program does not.
            Member b = group.start("b", "h/");
            await().atMost(Duration.ofSeconds(60)).until(() -> !refusals(a).isEmpty());
            assertThat(refusals(a)).contains("b announces h/ outside its grant");
            awaitTable(a, "a");
            b.membership.serve(List.of(route("h/shop/")), false);
            awaitAgreement(a, b);
        }
    }

    private static List<String> refusals(Member member) {
        return member.events(Kind.REFUSED).map(EventLog.Event::text).toList();
    }

    private static void awaitTable(Member member, String... names) {
        await().atMost(Duration.ofSeconds(60))
                .until(() -> member.membership.table().announcements().stream()
                        .map(one -> one.member().text())
                        .toList()
                        .equals(List.of(names)));
    }
}
