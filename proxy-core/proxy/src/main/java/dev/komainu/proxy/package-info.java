/**
 * The proxy as a program: settings from file, environment and command line; the parts wired together once; start, drain,
 * stop. Start at {@link dev.komainu.proxy.ProxyServer}.
 */
@NullMarked
package dev.komainu.proxy;

import org.jspecify.annotations.NullMarked;
