package dev.komainu.organizer.front;

import dev.komainu.organizer.line.LineSettings;
import dev.komainu.organizer.page.PageSettings;
import dev.komainu.settings.Setting;
import dev.komainu.settings.SettingGrammar;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What tunes the front.
 *
 * @param listen where clients reach it; null: nowhere, it only answers peers
 * @param lineListen where peers reach it
 * @param loops event loops: 1 to 4, inside a proxy as many as that has. A line to a peer has its
 *     connections divided among them, so that no exchange changes threads
 * @param idle how long a client's connection may be idle, or take nothing of an answer
 * @param headTimeout from a head's first byte to its last
 * @param line how lines are tuned; its connections are per peer in all
 * @param pages what comes with pages
 */
public record FrontSettings(
        @Nullable InetSocketAddress listen,
        InetSocketAddress lineListen,
        int loops,
        Duration idle,
        Duration headTimeout,
        LineSettings line,
        PageSettings pages) {

    public static final Setting<InetSocketAddress> LISTEN = Setting.of(
                    "front.listen",
                    "ADDRESS[:PORT], `none`; port 7680 where none is written",
                    text -> SettingGrammar.address(text, 7680))
            .atStart("sockets listen from the start on")
            .effect("where clients and proxies send requests");
    public static final Setting<Duration> IDLE_TIMEOUT = Setting.duration(
                    "front.idle-timeout", "1s", "1h")
            .byDefault("60s")
            .effect("how long a client may be idle, or take nothing of an answer");
    public static final Setting<Duration> HEAD_TIMEOUT = Setting.duration(
                    "front.head-timeout", "100ms", "10m")
            .byDefault("10s")
            .effect("from the first byte of a request's head to its last");
}
