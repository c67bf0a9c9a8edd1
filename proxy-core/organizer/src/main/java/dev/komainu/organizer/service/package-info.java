/**
 * The entries for clients of other protocols than HTTP: plain TCP, TLS, FTP and CORBA's IIOP.
 *
 * <p>In: their connections, at the {@linkplain dev.komainu.organizer.service.ServiceEntry entries}
 * of this member; and at the far end the tunnels of other members' entries. Out: tunnels through
 * the {@linkplain dev.komainu.organizer.front.Front front} to the member that serves the name. Of
 * each protocol only the parts that contain addresses are parsed. Thread: each connection's event
 * loop, one of the front's. Start at {@code ServiceEntries} for this end, {@code ServiceTunnels}
 * for the other.
 *
 * <p>Decisions: docs/decisions/0077-other-protocols.md,
 * docs/decisions/0078-addresses-in-object-references.md
 */
@NullMarked
package dev.komainu.organizer.service;

import org.jspecify.annotations.NullMarked;
