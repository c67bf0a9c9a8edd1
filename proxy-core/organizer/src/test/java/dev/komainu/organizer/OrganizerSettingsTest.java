package dev.komainu.organizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.komainu.organizer.line.LineCarrier;
import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.page.PageSettings;
import dev.komainu.settings.EffectiveSetting;
import dev.komainu.settings.SettingMistakesException;
import dev.komainu.settings.SettingReader;
import dev.komainu.settings.kit.Spellings;
import dev.komainu.settings.kit.WrittenSettings;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class OrganizerSettingsTest {

    private static SettingReader reader(String yaml, Map<String, String> environment) {
        return WrittenSettings.reader(yaml, environment, OrganizerSettings.VARIABLES);
    }

    private static OrganizerSettings read(String yaml, Map<String, String> environment)
            throws SettingMistakesException {
        return OrganizerSettings.read(reader(yaml, environment));
    }

    private static List<String> problems(String yaml) {
        return catchThrowableOfType(SettingMistakesException.class, () -> read(yaml, Map.of()))
                .mistakes();
    }

    @Test
    void read_aFewLines_theRestByDefault() throws SettingMistakesException {
        OrganizerSettings settings = read("""
                member: web1
                listen: 127.0.0.1
                secret-file: /etc/komainu/secret
                meet:
                  seeds: [10.0.0.1, "10.0.0.2:7000"]
                serve:
                  - prefix: WWW.example.com/
                    server: 127.0.0.1:8080
                """, Map.of());
        assertThat(settings.membership().listen().getPort()).isEqualTo(7690);
        assertThat(settings.membership().detect()).isEqualTo(Duration.ofMillis(1500));
        assertThat(settings.membership().seeds())
                .extracting(seed -> seed.getHostString() + ":" + seed.getPort())
                .containsExactly("10.0.0.1:7690", "10.0.0.2:7000");
        assertThat(settings.line().host() + ":" + settings.line().port())
                .isEqualTo("127.0.0.1:7691");
        assertThat(settings.lines().carrier()).isEqualTo(LineSettings.DEFAULT.carrier());
        assertThat(settings.control()).isNotNull();
        assertThat(settings.serve()).singleElement().satisfies(serve -> {
            assertThat(serve.route().prefix()).hasToString("www.example.com/");
            assertThat(serve.route().weight()).isEqualTo(1);
            assertThat(serve.route().capacity()).isEqualTo(64);
            assertThat(serve.host() + ":" + serve.port()).isEqualTo("127.0.0.1:8080");
        });
    }

    @Test
    void read_lineCarrier_isChecked() throws SettingMistakesException {
        String rest = ", member: a, listen: 127.0.0.1, secret-file: s, meet: {seeds: [h]}}";
        assertThat(read("{line-carrier: quic" + rest, Map.of()).lines().carrier())
                .isEqualTo(LineCarrier.QUIC);
        assertThat(problems("{line-carrier: udp" + rest))
                .anyMatch(p -> p.startsWith("line-carrier: udp (expected: "));
        assertThat(problems("{line-carrier: quic, line-plain: true" + rest))
                .containsExactly(
                        "line-carrier: quic (expected: tcp beside line-plain, since QUIC is never in the clear)");
    }

    @Test
    void read_keysWithDots_areTheSameAsATree() throws SettingMistakesException {
        String rest = ", member: a, listen: 127.0.0.1, secret-file: s}";
        OrganizerSettings settings = read(
                "{front.listen: '127.0.0.1:80', front: {idle-timeout: 5s}, meet.seeds: [h]" + rest,
                Map.of());
        assertThat(settings.front()).isNotNull();
        assertThat(settings.front().getPort()).isEqualTo(80);
        assertThat(settings.times().idle()).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.membership().seeds()).hasSize(1);
        assertThat(problems("{meet.seeds: [h], meet: {seeds: [i]}, meet.sedes: [j]" + rest))
                .anyMatch(problem -> problem.startsWith("meet.seeds: written twice (expected: "))
                .anyMatch(problem -> problem.startsWith("meet.sedes: unknown setting"))
                .hasSize(2);
    }

    @Test
    void read_environment_wins() throws SettingMistakesException {
        OrganizerSettings settings = read(
                "{member: a, listen: 127.0.0.1, secret-file: s, meet: {seeds: [h]}}",
                Map.of(
                        "KOMAINU_ORGANIZER_MEMBER",
                        "b",
                        "KOMAINU_ORGANIZER_CONTROL_LISTEN",
                        "none"));
        assertThat(settings.membership().member().text()).isEqualTo("b");
        assertThat(settings.control()).isNull();
    }

    @Test
    void read_whatComesWithPages_inBytes() throws SettingMistakesException {
        String rest = "member: a, listen: 127.0.0.1, secret-file: s, meet: {seeds: [h]}";
        assertThat(read("{" + rest + "}", Map.of()).pages()).isEqualTo(PageSettings.DEFAULT);
        PageSettings said = read("{" + rest + ", pages: {push: 512KB, hold: 2GB}}", Map.of())
                .pages();
        assertThat(said.pushBytes()).isEqualTo(512 << 10);
        assertThat(said.holdBytes()).isEqualTo(2L << 30);
        assertThat(read("{" + rest + ", pages: {push: 0, hold: 0}}", Map.of()).pages())
                .isEqualTo(PageSettings.OFF);
        assertThat(problems("{" + rest + ", pages: {push: 17MB, hold: 4096}}"))
                .containsExactlyInAnyOrder(
                        "pages.push: 17MB (expected: 0 to 16MB)",
                        "pages.hold: 4096 (expected: 0, or 1MB to 4GB)");
        assertThat(problems("{" + rest + ", pages: {push: 1 PB, hold: much}}"))
                .anyMatch(problem ->
                        problem.startsWith("pages.push: 1 PB (expected: a size such as "))
                .anyMatch(problem ->
                        problem.startsWith("pages.hold: much (expected: a size such as "));
    }

    @Test
    void read_linesAndTimes_withinTheirRanges() throws SettingMistakesException {
        String rest = "member: a, listen: 127.0.0.1, secret-file: s, meet: {seeds: [h]}";
        OrganizerSettings usual = read("{" + rest + "}", Map.of());
        assertThat(usual.lines()).isEqualTo(LineSettings.DEFAULT);
        assertThat(usual.times()).isEqualTo(OrganizerSettings.Times.DEFAULT);
        OrganizerSettings said = read(
                "{" + rest
                        + ", lines: {connections: 2, congestion: none, held: 1GB, silence: 10s}, front: {idle-timeout: 2m}, drain-timeout: 0s}",
                Map.of());
        assertThat(said.lines().connections()).isEqualTo(2);
        assertThat(said.lines().congestion()).isEmpty();
        assertThat(said.lines().heldBytes()).isEqualTo(1L << 30);
        assertThat(said.lines().silence()).isEqualTo(Duration.ofSeconds(10));
        assertThat(said.times().idle()).isEqualTo(Duration.ofMinutes(2));
        assertThat(said.times().drain()).isZero();
        assertThat(
                        problems(
                                "{" + rest
                                        + ", lines: {connections: 9, stream-window: 8GB}, front: {head-timeout: 1ms}, drain-timeout: 10m}"))
                .containsExactlyInAnyOrder(
                        "lines.connections: 9 (expected: 1 to 4)",
                        "lines.stream-window: 8GB (expected: 65535 to 16MB)",
                        "front.head-timeout: 1ms (expected: 100ms to 10m)",
                        "drain-timeout: 10m (expected: 0 to 5m)");
    }

    @Test
    void read_manyMistakes_allToldAtOnce() {
        assertThat(problems("""
                        member: Web_1
                        listen: 0.0.0.0
                        grant-file: g
                        controll: {}
                        meet: {seeds: [h], multicast: "10.0.0.1:7690"}
                        serve:
                          - {prefix: "http://h/", server: "h:99999", weight: 2000, colour: red}
                          - {server: h}
                          - text
                        """))
                .anyMatch(problem -> problem.startsWith("member: Web_1 (expected: "))
                .anyMatch(problem -> problem.startsWith("secret-file: none (expected: "))
                .anyMatch(problem -> problem.startsWith("grant-authority: none (expected: "))
                .anyMatch(problem -> problem.startsWith("controll: unknown setting"))
                .anyMatch(problem ->
                        problem.startsWith("serve[0].prefix: http://h/ (expected: HOST/PATH"))
                .anyMatch(problem -> problem.startsWith("serve[0].server: h:99999 (expected: "))
                .anyMatch(problem -> problem.startsWith("serve[0].colour: unknown setting"))
                .anyMatch(problem -> problem.startsWith("serve[1].prefix: none (expected: "))
                .contains("serve[2]: text (expected: a map of settings)");
    }

    @Test
    void read_membershipOutOfRange_allToldAtOnce() {
        assertThat(problems("""
                        {member: a, cluster: -x, listen: 0.0.0.0, detect: 10ms, secret-file: s,
                         meet: {seeds: [h], multicast: "10.0.0.1:7690"},
                         serve: [{prefix: h/, server: h}, {prefix: H/, server: i, weight: 2000}]}
                        """))
                .anyMatch(problem -> problem.startsWith("cluster: -x (expected: "))
                .anyMatch(problem -> problem.startsWith("listen: 0.0.0.0 (expected: "))
                .anyMatch(problem ->
                        problem.startsWith("meet: seeds and multicast (expected: one of the two)"))
                .anyMatch(
                        problem -> problem.startsWith("meet.multicast: 10.0.0.1:7690 (expected: "))
                .anyMatch(problem -> problem.startsWith("detect: 10ms (expected: 500ms to 60s)"))
                .contains(
                        "serve[1].weight: 2000 (expected: 0 to 1,000)",
                        "serve: h/ twice (expected: each prefix once)")
                .hasSize(7);
    }

    @Test
    void read_services_eachWithItsProtocol() throws SettingMistakesException {
        OrganizerSettings settings = read("""
                {member: a, listen: 127.0.0.1, secret-file: s, meet: {seeds: [h]}, services: [
                  {protocol: tcp, listen: "127.0.0.1:5432", service: "DB.example:5432"},
                  {protocol: tls, listen: "127.0.0.1:443", service: "*:443"},
                  {protocol: ftp, listen: "127.0.0.1:21", service: "ftp.example:21", data-ports: 50000-50099}]}
                """, Map.of());
        assertThat(settings.services())
                .extracting(entry ->
                        entry.protocol().text() + " " + entry.service() + " " + entry.dataPorts())
                .containsExactly(
                        "tcp db.example:5432 PortRange[first=0, last=0]",
                        "tls *:443 PortRange[first=0, last=0]",
                        "ftp ftp.example:21 PortRange[first=50000, last=50099]");
    }

    @Test
    void read_servicesWithMistakes_allToldAtOnce() {
        assertThat(problems("""
                        {member: a, listen: 127.0.0.1, secret-file: s, meet: {seeds: [h]}, services: [
                          {protocol: gopher, listen: "127.0.0.1", service: "db:1"},
                          {protocol: tcp, listen: "127.0.0.1:1", service: "*:443"},
                          {protocol: tls, listen: "127.0.0.1:1", service: "db:443"},
                          {protocol: ftp, listen: "127.0.0.1:1", service: "f:21", data-ports: 21-22},
                          {protocol: iiop, listen: "127.0.0.1:1", service: "f:21", data-ports: 2100-2200},
                          {protocol: tcp, service: "f:70000", colour: red}]}
                        """))
                .contains(
                        "services[0].protocol: gopher (expected: one of tcp, tls, ftp, iiop)",
                        "services[0].listen: 127.0.0.1 (expected: ADDRESS:PORT)",
                        "services[1].service: *:443 (expected: NAME:PORT as a member serves it)",
                        "services[2].service: db:443 (expected: *:PORT, because TLS clients send the name)",
                        "services[3].data-ports: 21-22 (expected: FIRST-LAST of 1024 to 65535)",
                        "services[4].data-ports: 2100-2200 (expected: only for protocol ftp)",
                        "services[5].listen: none (expected: the ADDRESS:PORT for its clients)",
                        "services[5].service: f:70000 (expected: NAME:PORT as a member serves it)")
                .anyMatch(problem -> problem.startsWith("services[5].colour: unknown setting"))
                .hasSize(9);
    }

    @Test
    void read_samePrefixTwice_isAMistake() {
        assertThat(problems("""
                        {member: a, listen: 127.0.0.1, secret-file: s, meet: {seeds: [h]},
                         serve: [{prefix: h/, server: h}, {prefix: H/, server: i}]}
                        """)).containsExactly("serve: h/ twice (expected: each prefix once)");
    }

    @Test
    void spellings_areReadAsInEveryPart() throws Exception {
        for (Spellings.Spelling one : Spellings.of("size")) {
            hold("lines.held", one, settings -> settings.lines().heldBytes());
        }
        for (Spellings.Spelling one : Spellings.of("duration")) {
            hold("front.idle-timeout", one, settings -> settings.times().idle().toMillis());
        }
        for (Spellings.Spelling one : Spellings.of("truth")) {
            hold("line-plain", one, OrganizerSettings::plainLines);
        }
        for (Spellings.Spelling one : Spellings.of("address")) {
            String entry = "[{protocol: tcp, service: h:1, listen: '" + one.text() + "'}]";
            hold("services", entry, "services[0].listen", one, settings -> {
                InetSocketAddress address = settings.services().getFirst().listen();
                String host = address.getAddress().getHostAddress();
                return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
            });
        }
    }

    /**
     * Names and default ports are the organizer's own; the other rules for addresses are the same
     * in every module.
     */
    @Test
    void addresses_mayLackTheirPort_orBeNames() throws SettingMistakesException {
        String rest = "member: a, secret-file: s, meet.seeds: ['web1', '[fd00::1]:7', 'fd00::1']";
        OrganizerSettings settings = read(
                "{" + rest + ", listen: '::1', line: localhost, front.listen: '127.0.0.1'}",
                Map.of());
        assertThat(settings.membership().listen()).isEqualTo(new InetSocketAddress("::1", 7690));
        assertThat(settings.line().host() + ":" + settings.line().port())
                .isEqualTo("127.0.0.1:7691");
        assertThat(settings.front()).isEqualTo(new InetSocketAddress("127.0.0.1", 7680));
        assertThat(settings.membership().seeds())
                .extracting(seed -> seed.getHostString() + " " + seed.getPort())
                .containsExactly("web1 7690", "fd00::1 7", "fd00::1 7690");
        assertThat(
                        problems(
                                "{" + rest
                                        + ", listen: '127.0.0.1:0', line: '127.0.0.1:http', control.listen: '[::1'}"))
                .containsExactlyInAnyOrder(
                        "listen: 127.0.0.1:0 (expected: ADDRESS[:PORT])",
                        "line: 127.0.0.1:http (expected: ADDRESS[:PORT])",
                        "control.listen: [::1 (expected: ADDRESS[:PORT])");
    }

    /** The proxy reports the mistakes and refuses unknown keys. */
    @Test
    void readInside_aPartOfAnother_hasNoListenersOfItsOwn() throws SettingMistakesException {
        String member =
                "{organizer: {member: edge, listen: 127.0.0.1, secret-file: s, meet.seeds: [h], ";
        SettingReader proxy = WrittenSettings.reader(
                member + "share.copies: 25, serve: [{prefix: h/, cache: true}]}}",
                Map.of("KOMAINU_ORGANIZER_CLUSTER", "shop"),
                "KOMAINU_");
        OrganizerSettings settings =
                OrganizerSettings.readInside(proxy.below("organizer", "joined at the start"));
        proxy.refuseUnknown();
        proxy.finish();
        assertThat(settings).isNotNull();
        assertThat(settings.membership().cluster()).isEqualTo("shop");
        assertThat(settings.share().copiesPercent()).isEqualTo(25);
        assertThat(settings.pages().holdBytes()).isZero();
        assertThat(settings.control()).isNull();
        assertThat(settings.serve().getFirst().host()).isEmpty();

        SettingReader wrong = WrittenSettings.reader(
                member + "share.copies: 101, serve: [{prefix: h/}], front: {listen: 127.0.0.1}}}");
        assertThat(OrganizerSettings.readInside(wrong.below("organizer", "joined at the start")))
                .isNull();
        wrong.refuseUnknown();
        assertThat(catchThrowableOfType(SettingMistakesException.class, wrong::finish)
                        .mistakes())
                .contains(
                        "organizer.share.copies: 101 (expected: 0 to 100, percent)",
                        "organizer.serve[0].server: none (expected: HOST:PORT of the server that serves it, or"
                                + " cache: true for this proxy)")
                .anyMatch(mistake -> mistake.startsWith("organizer.front.listen: unknown setting"))
                .hasSize(3);
    }

    private static void hold(
            String key, Spellings.Spelling one, Function<OrganizerSettings, Object> value)
            throws Exception {
        hold(key, "'" + one.text() + "'", key, one, value);
    }

    private static void hold(
            String key,
            String written,
            String told,
            Spellings.Spelling one,
            Function<OrganizerSettings, Object> value)
            throws Exception {
        String yaml = "{member: a, listen: 127.0.0.1, secret-file: s, meet.seeds: [h], " + key
                + ": " + written + "}";
        if (one.value() == null) {
            assertThat(problems(yaml))
                    .singleElement()
                    .asString()
                    .startsWith(told + ": " + one.text() + " (expected: ");
        } else {
            assertThat(value.apply(read(yaml, Map.of()))).as(one.text()).hasToString(one.value());
        }
    }

    @Test
    void effective_listsEachSettingWithItsSource() throws SettingMistakesException {
        SettingReader reader = reader(
                "{member: a, listen: 127.0.0.1, secret-file: s, meet: {seeds: [h]}}",
                Map.of("KOMAINU_ORGANIZER_DETECT", "2s"));
        OrganizerSettings.read(reader);
        assertThat(reader.effective())
                .extracting(EffectiveSetting::line)
                .contains(
                        "member: a  # file",
                        "detect: 2s  # $KOMAINU_ORGANIZER_DETECT",
                        "meet.seeds: h  # file",
                        "line: 127.0.0.1:7691  # default",
                        "line-plain: false  # default");
    }
}
