/**
 * TLS at the service's own address: its authority, and the certificate that it shows.
 *
 * <p>In: the settings, names and addresses of this host, the user's PEM files. Out: a bundle of
 * certificate, key and trusted authorities for the web server. Any thread; the authority's key is
 * in a file of mode 600. Start at {@link dev.komainu.central.identity.Authority}.
 *
 * <p>Decision: docs/decisions/0112-authority-of-the-installation.md
 */
@NullMarked
package dev.komainu.central.identity;

import org.jspecify.annotations.NullMarked;
