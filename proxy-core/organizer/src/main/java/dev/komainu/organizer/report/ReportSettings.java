package dev.komainu.organizer.report;

import java.net.URI;
import java.nio.file.Path;

/**
 * Where to report to.
 *
 * @param central base address of the central service
 * @param tokenFile its first line is a token with scope {@code ingest}
 * @param node this host's name in records; the agent's beside it must be the same
 * @param data where events wait while the central service cannot be reached
 */
public record ReportSettings(URI central, Path tokenFile, String node, Path data) {}
