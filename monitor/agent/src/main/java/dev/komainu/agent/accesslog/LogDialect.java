package dev.komainu.agent.accesslog;

/** Dialect of the variables in a log format. */
public enum LogDialect {
    /** {@code $remote_addr … "$request"} (nginx.org, ngx_http_log_module). */
    NGINX("nginx"),
    /** {@code %h %l %u %t "%r" %>s %b} (httpd.apache.org, mod_log_config). */
    APACHE("apache"),
    /** Tomcat 10 and later, where {@code %D} is in microseconds as Apache's is. */
    TOMCAT("apache"),
    /** Tomcat up to 9, where {@code %D} is in milliseconds. */
    OLD_TOMCAT("apache"),
    /** {@code %ts.%03tu %6tr %>a …} (squid-cache.org, logformat). */
    SQUID("squid");

    private final String label;

    LogDialect(String label) {
        this.label = label;
    }

    /** Returns the name used in {@link dev.komainu.telemetry.record.AccessLogWindow#format}. */
    public String label() {
        return label;
    }
}
