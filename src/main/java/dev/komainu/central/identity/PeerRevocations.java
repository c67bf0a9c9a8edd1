package dev.komainu.central.identity;

import java.util.List;

/**
 * The revoked parts that other parts must refuse, because they speak to each other without this
 * service. Called for every batch of a part: must be quick. Any thread.
 */
@FunctionalInterface
public interface PeerRevocations {

    /**
     * Returns the ids of revoked organizers of a cluster whose certificates have not ended.
     *
     * @param source source of an organizer of the cluster; of another part there are none
     */
    List<String> revokedPeers(String source);
}
