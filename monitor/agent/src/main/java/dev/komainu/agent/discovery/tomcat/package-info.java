/**
 * Tomcat: the Connector of one port in {@code server.xml}, its Executor, its access log.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.tomcat.TomcatReader}. Thread: discovery's.
 *
 * <p>Decision: docs/decisions/0094-server-configuration-parsers.md
 */
@NullMarked
package dev.komainu.agent.discovery.tomcat;

import org.jspecify.annotations.NullMarked;
