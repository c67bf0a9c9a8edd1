package dev.komainu.agent.discovery.nginx;

import dev.komainu.agent.discovery.configuration.Knob;
import java.util.List;

/**
 * The nginx directives that tuning needs, with compiled-in defaults (nginx.org: core, events, http,
 * proxy modules).
 */
final class NginxKnobs {

    /** Directives of every nginx. */
    static final List<Knob> CORE = List.of(
            Knob.of("worker_processes", "1"),
            Knob.of("worker_connections", "512"),
            Knob.of("worker_rlimit_nofile", ""),
            Knob.of("worker_shutdown_timeout", ""),
            Knob.of("worker_aio_requests", ""),
            Knob.of("thread_pool", ""),
            Knob.of("use", "epoll"),
            Knob.of("multi_accept", "off"),
            Knob.of("accept_mutex", "on").since("1.11.3", "off"));

    /** Directives of servers inside {@code http}. */
    static final List<Knob> HTTP = List.of(
            Knob.of("keepalive_timeout", "75s"),
            Knob.of("keepalive_requests", "100").since("1.19.10", "1000"),
            Knob.of("keepalive_time", "").since("1.19.10", "1h"),
            Knob.of("keepalive_min_timeout", "").since("1.27.4", "0"),
            Knob.of("client_header_timeout", "60s"),
            Knob.of("client_body_timeout", "60s"),
            Knob.of("client_max_body_size", "1m"),
            Knob.of("client_body_buffer_size", "16k"),
            Knob.of("client_header_buffer_size", "1k"),
            Knob.of("large_client_header_buffers", "4 8k"),
            Knob.of("connection_pool_size", ""),
            Knob.of("request_pool_size", ""),
            Knob.of("send_timeout", "60s"),
            Knob.of("reset_timedout_connection", "off"),
            Knob.of("lingering_close", "on"),
            Knob.of("lingering_timeout", "5s"),
            Knob.of("sendfile", "off"),
            Knob.of("sendfile_max_chunk", "0").since("1.21.4", "2m"),
            Knob.of("tcp_nopush", "off"),
            Knob.of("tcp_nodelay", "on"),
            Knob.of("aio", "off"),
            Knob.of("directio", "off"),
            Knob.of("output_buffers", "1 32k").since("1.9.5", "2 32k"),
            Knob.of("gzip", "off"),
            Knob.of("expires", "off"),
            Knob.of("etag", "").since("1.3.3", "on"),
            Knob.of("http2", "").since("1.25.1", "off"));

    /** Directives that are reported when requests are passed on. */
    static final List<Knob> PROXY = List.of(
            Knob.of("proxy_connect_timeout", "60s"),
            Knob.of("proxy_read_timeout", "60s"),
            Knob.of("proxy_send_timeout", "60s"),
            Knob.of("proxy_http_version", "1.0").since("1.29.7", "1.1"),
            Knob.of("proxy_buffering", "on"),
            Knob.of("proxy_request_buffering", "on"),
            Knob.of("proxy_buffers", "8 4k"),
            Knob.of("proxy_buffer_size", "4k"),
            Knob.of("proxy_busy_buffers_size", ""),
            Knob.of("proxy_max_temp_file_size", "1024m"),
            Knob.of("proxy_next_upstream_tries", "0"),
            Knob.of("proxy_socket_keepalive", "").since("1.15.6", "off"),
            Knob.of("proxy_ignore_client_abort", "off"),
            Knob.of("proxy_cache_lock", "off"));

    private NginxKnobs() {}
}
