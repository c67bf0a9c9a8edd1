/**
 * Which web servers run on this host, and how they are set.
 *
 * <p>In: the kernel's list of listening sockets, the processes behind them, their configuration files. Out: what is
 * there now ({@link dev.komainu.agent.discovery.LocalServer}), each value with the place it was read from. Only values
 * named in {@link dev.komainu.agent.discovery.NginxSettings}, {@link dev.komainu.agent.discovery.ApacheSettings} and
 * their like ever leave a configuration file, so no secret can. Thread: the one that calls
 * {@link dev.komainu.agent.discovery.Discovery#look}.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.Discovery}.
 */
@NullMarked
package dev.komainu.agent.discovery;

import org.jspecify.annotations.NullMarked;
