package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.page.PageSettings;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the front.
 *
 * @param listen address for clients; null: none, this member only serves peers
 * @param lineListen address for peers
 * @param loops number of event loops: 1 to 4; inside a proxy the number of the proxy's loops. The
 *     connections of a line to a peer are divided among the loops, so that no exchange changes its
 *     thread
 * @param idle how long a client connection may be idle, or accept no bytes of a response
 * @param headTimeout from the first byte of a request head to its last
 * @param line settings of the lines; the number of connections is the total for each peer
 * @param pages settings of the page prefetch
 * @param access clients with special rights
 */
public record FrontSettings(
        @Nullable InetSocketAddress listen,
        InetSocketAddress lineListen,
        int loops,
        Duration idle,
        Duration headTimeout,
        LineSettings line,
        PageSettings pages,
        FrontAccess access) {

    public static final Setting<InetSocketAddress> LISTEN = Setting.of(
                    "front.listen",
                    "ADDRESS[:PORT], `none`; default port 7680",
                    text -> SettingGrammar.address(text, 7680))
            .atStart("sockets are opened at the start")
            .effect("Address for requests of clients and proxies");
    public static final Setting<Duration> IDLE_TIMEOUT = Setting.duration(
                    "front.idle-timeout", "1s", "1h")
            .byDefault("60s")
            .effect("Time for which a client connection may be idle, or accept no bytes of a "
                    + "response");
    public static final Setting<Duration> HEAD_TIMEOUT = Setting.duration(
                    "front.head-timeout", "100ms", "10m")
            .byDefault("10s")
            .effect("Time from the first byte of a request head to its last");
}
