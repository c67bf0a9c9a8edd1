/**
 * The common part of all servers' configurations: files read within limits and watched for changes,
 * values that are numbers or known words, places of access logs, upstream servers.
 *
 * <p>In: a {@link dev.komainu.agent.discovery.configuration.ConfigurationSubject}. Out: a
 * {@link dev.komainu.agent.discovery.configuration.ServerConfiguration}. Only values accepted by
 * {@link dev.komainu.agent.discovery.configuration.ValueFilter} are kept, so no secret leaves a
 * configuration file. Thread: discovery's. Start at
 * {@link dev.komainu.agent.discovery.configuration.ConfigurationFindings}.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.configuration;

import org.jspecify.annotations.NullMarked;
