package dev.komainu.agent.accesslog;

/** Whose variables a log format is written in. */
public enum LogDialect {
    /** {@code $remote_addr … "$request"} (nginx.org, ngx_http_log_module). */
    NGINX("nginx"),
    /** {@code %h %l %u %t "%r" %>s %b} (httpd.apache.org, mod_log_config). */
    APACHE("apache"),
    /** Tomcat 10 and later, where {@code %D} tells microseconds as Apache's does. */
    TOMCAT("apache"),
    /** Tomcat up to 9, where {@code %D} tells milliseconds. */
    OLD_TOMCAT("apache"),
    /** {@code %ts.%03tu %6tr %>a …} (squid-cache.org, logformat). */
    SQUID("squid");

    private final String label;

    LogDialect(String label) {
        this.label = label;
    }

    /** As in {@link dev.komainu.telemetry.record.AccessLogWindow#format}. */
    public String label() {
        return label;
    }
}
