/**
 * Tomcat: the Connector of one port in {@code server.xml}, its Executor, its access log.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.tomcat.TomcatReader}. Thread: discovery's.
 */
@NullMarked
package dev.komainu.agent.discovery.tomcat;

import org.jspecify.annotations.NullMarked;
