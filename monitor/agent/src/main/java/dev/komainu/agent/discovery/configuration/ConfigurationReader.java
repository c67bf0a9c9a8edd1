package dev.komainu.agent.discovery.configuration;

/** A reader of one kind of server's configuration. */
@FunctionalInterface
public interface ConfigurationReader {

    /**
     * Adds the values of the subject's configuration files and command line to the findings, and
     * expects the directives whose defaults are reported.
     */
    void read(ConfigurationSubject subject, ConfigurationFindings findings);
}
