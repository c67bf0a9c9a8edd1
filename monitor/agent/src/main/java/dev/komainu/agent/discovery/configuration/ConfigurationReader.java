package dev.komainu.agent.discovery.configuration;

/** Reads one kind of server's configuration. */
@FunctionalInterface
public interface ConfigurationReader {

    /**
     * Tells what stands in the subject's configuration, what its command line adds and what its
     * version takes otherwise.
     */
    void read(ConfigurationSubject subject, ConfigurationFindings findings);
}
