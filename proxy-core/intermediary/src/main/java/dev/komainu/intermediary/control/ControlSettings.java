package dev.komainu.intermediary.control;

import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import dev.komainu.settings.SettingReader;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the control endpoint.
 *
 * @param listen listening address (127.0.0.1:7681)
 * @param tokenFile tokens and their scopes, one a line; absent: nothing that needs a token is
 *     permitted
 * @param readToken whether reads need a token on a loopback address too; elsewhere they always do
 *     (false)
 * @param tls when the endpoint uses TLS (auto)
 */
public record ControlSettings(
        InetSocketAddress listen, @Nullable Path tokenFile, boolean readToken, ControlTlsMode tls) {

    public static final Setting<InetSocketAddress> LISTEN = Setting.address("control.listen")
            .orNone()
            .byDefault("127.0.0.1:7681")
            .option("--control")
            .withoutValue("127.0.0.1:7681")
            .atStart("listening sockets are opened at the start only")
            .effect("Address of the control endpoint: health, metrics and orders; `none`: no "
                    + "endpoint");

    public static final Setting<Path> TOKEN_FILE = Setting.path("control.token-file", "file")
            .option("--control-token-file")
            .effect("File of tokens with scopes and expiry, one a line; without it writes are "
                    + "disabled")
            .detail("""
                    The file is read again when it changes. [Format](../formats/proxy-control.md).""");

    public static final Setting<Boolean> READ_TOKEN = Setting.of(
                    "control.read-token", "required, elsewhere", ControlSettings::required)
            .byDefault("elsewhere")
            .option("--control-read-token")
            .effect("Whether reads on a loopback address need a token too")
            .detail("""
                    Reads are all requests but `/health`. On other addresses they always need a
                    token.""");

    public static final Setting<ControlTlsMode> TLS = Setting.choice(
                    "control.tls", ControlTlsMode.class)
            .byDefault("auto")
            .atStart("listening sockets are opened at the start only")
            .effect("Whether the control endpoint uses TLS with the certificate of the identity")
            .detail("""
                    `auto`: on addresses other than loopback, when this part has an identity;
                    without one the log says that the endpoint is in clear text. `always`: also on
                    loopback; without an identity the start fails. See
                    [TLS](../formats/proxy-control.md#tls).""");

    /** Creates settings with the default of TLS. */
    public ControlSettings(InetSocketAddress listen, @Nullable Path tokenFile, boolean readToken) {
        this(listen, tokenFile, readToken, ControlTlsMode.AUTO);
    }

    /** Reads these settings; the reader collects mistakes. Absent: no endpoint. */
    public static @Nullable ControlSettings read(SettingReader reader) {
        InetSocketAddress listen = reader.find(LISTEN);
        Path tokenFile = reader.find(TOKEN_FILE);
        boolean readToken = reader.get(READ_TOKEN);
        ControlTlsMode tls = reader.get(TLS);
        return listen == null ? null : new ControlSettings(listen, tokenFile, readToken, tls);
    }

    private static boolean required(String text) {
        if (!text.equals("required") && !text.equals("elsewhere")) {
            throw SettingGrammar.wrong(text, "required or elsewhere");
        }
        return text.equals("required");
    }
}
