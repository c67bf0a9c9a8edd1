/**
 * Varnish: the parameters on its command line, the running version's own defaults, the backends of
 * its VCL.
 *
 * <p>Start at {@link dev.komainu.agent.discovery.varnish.VarnishReader}. Thread: discovery's.
 */
@NullMarked
package dev.komainu.agent.discovery.varnish;

import org.jspecify.annotations.NullMarked;
