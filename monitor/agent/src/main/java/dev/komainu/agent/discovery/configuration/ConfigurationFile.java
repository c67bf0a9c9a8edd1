package dev.komainu.agent.discovery.configuration;

import java.time.Instant;

/**
 * A file a configuration was read from.
 *
 * @param path as the server names it
 * @param bytes its size in bytes
 * @param modified time of the last write
 */
public record ConfigurationFile(String path, long bytes, Instant modified) {}
