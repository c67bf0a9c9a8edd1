/**
 * The proxy as a program: settings from file, environment and command line; its components in the
 * order in which they start, with their actions at a reload and at the end; drain. Start at
 * {@link dev.komainu.proxy.ProxyServer}, then {@link dev.komainu.proxy.Proxy}.
 *
 * <p>Decisions: docs/decisions/0090-five-modules-between-client-and-server.md,
 * docs/decisions/0091-declared-settings.md
 */
@NullMarked
package dev.komainu.proxy;

import org.jspecify.annotations.NullMarked;
