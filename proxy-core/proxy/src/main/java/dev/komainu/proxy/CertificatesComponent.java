package dev.komainu.proxy;

import dev.komainu.intermediary.lifecycle.Component;
import dev.komainu.intermediary.lifecycle.PreparedChange;
import dev.komainu.intermediary.lifecycle.SettingsChange;
import dev.komainu.proxy.tls.Certificates;
import dev.komainu.proxy.tls.TlsHandshakeHandler;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The certificates for clients over TLS. */
final class CertificatesComponent implements Component<ProxySettings> {

    private final ProxySettings settings;
    private @Nullable Certificates certificates;

    CertificatesComponent(ProxySettings settings) {
        this.settings = settings;
    }

    Certificates get() {
        return Objects.requireNonNull(certificates);
    }

    private static List<String> protocols(ProxySettings settings) {
        return settings.streams().enabled()
                ? List.of(TlsHandshakeHandler.HTTP_2, TlsHandshakeHandler.HTTP_1)
                : List.of(TlsHandshakeHandler.HTTP_1);
    }

    @Override
    public void open() throws IOException {
        certificates = Certificates.open(settings.tls(), protocols(settings));
    }

    @Override
    public PreparedChange prepare(SettingsChange<ProxySettings> change) throws IOException {
        return change.isOf(ProxySettings::tls) || change.isOf(CertificatesComponent::protocols)
                ? get().prepare(change.next().tls(), protocols(change.next()))::run
                : get()::check;
    }

    @Override
    public void close() {
        get().close();
    }
}
