/**
 * The right to be a member by an identity of the installation.
 *
 * <p>In: the identity of this member, and certificates of peers. Out: the keys and the trust for
 * the TLS of the group and of the lines, and the close of open connections whose peer has lost its
 * right. Any thread. Start at {@link dev.komainu.organizer.peer.PeerRights}.
 *
 * <p>Decision: docs/decisions/0116-members-by-identity.md
 */
@NullMarked
package dev.komainu.organizer.peer;

import org.jspecify.annotations.NullMarked;
