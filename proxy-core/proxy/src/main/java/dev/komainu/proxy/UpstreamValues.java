package dev.komainu.proxy;

import dev.komainu.intermediary.upstream.DnsSettings;
import dev.komainu.intermediary.upstream.HealthSettings;
import dev.komainu.intermediary.upstream.Origin;
import dev.komainu.intermediary.upstream.TlsSettings;
import dev.komainu.intermediary.upstream.UpstreamSettings;
import dev.komainu.settings.SettingText;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Reads everything about origins. */
final class UpstreamValues {

    private UpstreamValues() {}

    static UpstreamSettings read(SettingValues values) {
        UpstreamSettings d = UpstreamSettings.DEFAULT;
        return new UpstreamSettings(
                values.value("upstream.connect-timeout", d.connectTimeout(), SettingText::duration),
                values.value("upstream.response-timeout", d.responseTimeout(), SettingText::duration),
                values.value("upstream.idle-timeout", d.idleTimeout(), SettingText::duration),
                values.value("upstream.min-body-rate", d.minBodyRate(), SettingText::integer),
                values.value("upstream.body-window", d.bodyWindow(), SettingText::duration),
                values.value("upstream.max-idle", d.maxIdle(), SettingText::integer),
                values.value("upstream.max-open", d.maxOpen(), SettingText::integer),
                values.value("upstream.max-waiting", d.maxWaiting(), SettingText::integer),
                values.value("upstream.wait-timeout", d.waitTimeout(), SettingText::duration),
                health(values),
                dns(values),
                new TlsSettings(
                        values.value("upstream.tls.verify", true, SettingText::truth),
                        values.optional("upstream.tls.ca-file", text -> Optional.of(Path.of(text)))));
    }

    private static HealthSettings health(SettingValues values) {
        HealthSettings d = HealthSettings.DEFAULT;
        return new HealthSettings(
                values.value("upstream.eject.after", d.ejectAfter(), SettingText::integer),
                values.value("upstream.eject.base", d.ejectBase(), SettingText::duration),
                values.value("upstream.eject.most", d.ejectMost(), SettingText::duration),
                values.optional("upstream.check.path", Optional::of),
                values.value("upstream.check.interval", d.checkInterval(), SettingText::duration),
                values.value("upstream.check.timeout", d.checkTimeout(), SettingText::duration),
                values.value("upstream.check.rise", d.rise(), SettingText::integer),
                values.value("upstream.check.fall", d.fall(), SettingText::integer));
    }

    private static DnsSettings dns(SettingValues values) {
        DnsSettings d = DnsSettings.DEFAULT;
        return new DnsSettings(
                values.list("upstream.dns.servers", UpstreamValues::nameServer),
                values.value("upstream.dns.min-ttl", d.minTtl(), SettingText::duration),
                values.value("upstream.dns.max-ttl", d.maxTtl(), SettingText::duration),
                values.value("upstream.dns.negative-ttl", d.negativeTtl(), SettingText::duration),
                values.value("upstream.dns.timeout", d.timeout(), SettingText::duration));
    }

    /** {@code ADDRESS} or {@code ADDRESS:PORT}. */
    private static InetSocketAddress nameServer(String text) {
        boolean bare = text.indexOf(':') < 0 || text.endsWith("]");
        return SettingText.address(bare ? text + ":53" : text);
    }

    /** The servers of {@code origin}, all for every path; absent when there are none, or a mistake was noted. */
    static Optional<Origin> whole(SettingValues values) {
        List<Origin> each = values.list("origin", Origin::parse);
        if (each.size() > 1 && each.stream().anyMatch(Origin::isCluster)) {
            values.problems().add("origin: cluster beside servers (expected: one of the two)");
            return Optional.empty();
        }
        return each.isEmpty()
                ? Optional.empty()
                : Optional.of(new Origin(each.stream()
                        .flatMap(origin -> origin.servers().stream())
                        .toList()));
    }
}
