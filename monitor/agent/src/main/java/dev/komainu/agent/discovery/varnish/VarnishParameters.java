package dev.komainu.agent.discovery.varnish;

import dev.komainu.agent.discovery.configuration.Knob;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Varnish's parameters that tuning needs. Their defaults differ much between versions, so the
 * program's own list is read ({@code varnishd -x parameter}, since 6.0). The table here applies
 * when the program must not be run.
 */
final class VarnishParameters {

    /** varnish-cache.org, varnishd(1). */
    private static final List<Knob> KNOBS = List.of(
            Knob.of("thread_pools", "2"),
            Knob.of("thread_pool_min", "5").since("4.0", "100"),
            Knob.of("thread_pool_max", "500").since("4.0", "5000"),
            Knob.of("thread_pool_timeout", "300"),
            Knob.of("thread_pool_reserve", "").since("4.1", "0"),
            Knob.of("thread_queue_limit", "").since("4.0", "20"),
            Knob.of("thread_pool_stack", "48k").since("7.2", "80k"),
            Knob.of("timeout_idle", "").since("4.0", "5"),
            Knob.of("timeout_linger", "").since("4.0", "0.05"),
            Knob.of("timeout_req", "").since("4.1", "2"),
            Knob.of("listen_depth", "1024"),
            Knob.of("accept_filter", ""),
            Knob.of("http_max_hdr", "64"),
            Knob.of("http_req_size", "32k"),
            Knob.of("http_resp_size", "32k"),
            Knob.of("workspace_client", "64k").since("7.1", "96k"),
            Knob.of("workspace_backend", "64k").since("7.1", "96k"),
            Knob.of("workspace_session", "").since("5.1", "0.75k"),
            Knob.of("connect_timeout", "0.7").since("4.0", "3.5"),
            Knob.of("first_byte_timeout", "60"),
            Knob.of("between_bytes_timeout", "60"),
            Knob.of("backend_idle_timeout", "").since("4.1", "60"),
            Knob.of("idle_send_timeout", "60"),
            Knob.of("send_timeout", "600"),
            Knob.of("pipe_timeout", "60"),
            Knob.of("default_ttl", "120"),
            Knob.of("default_grace", "10"),
            Knob.of("default_keep", "").since("4.0", "0"),
            Knob.of("nuke_limit", "50"),
            Knob.of("max_restarts", "4"),
            Knob.of("gzip_memory_level", ""),
            Knob.of("transit_buffer", ""),
            Knob.of("pipe_sess_max", ""));

    /**
     * Matches one parameter of the program's list.
     *
     * <pre>
     *  thread_pools
     *  ~~~~~~~~~~~~
     *      * Units: pools
     *      * Default: 2
     * </pre>
     */
    private static final Pattern DEFAULT = Pattern.compile(
            "^(\\w+)\\n~{3,}\\n(?:(?!~{3,}).*\\n){0,12}?\\s+\\* Default: (\\S+)",
            Pattern.MULTILINE);

    private VarnishParameters() {}

    /**
     * Returns the parameters with their defaults.
     *
     * @param output the output of {@code varnishd -x parameter}; empty when the program must not be
     *     run
     */
    static List<Knob> knobs(String output) {
        Map<String, String> reported = new HashMap<>();
        Matcher matcher = DEFAULT.matcher(output);
        while (matcher.find()) {
            reported.put(matcher.group(1), matcher.group(2));
        }
        List<Knob> knobs = new ArrayList<>();
        for (Knob knob : KNOBS) {
            String value = reported.get(knob.name());
            knobs.add(value == null ? knob : Knob.of(knob.name(), plain(value)));
        }
        return knobs;
    }

    /** Returns {@code 5} for {@code 5.000}. */
    static String plain(String value) {
        return value.matches("\\d+\\.\\d*0") ? value.replaceFirst("\\.?0+$", "") : value;
    }
}
