package dev.komainu.central.capacity;

import java.util.EnumMap;
import java.util.Map;

/**
 * A server as it is, or with hypothetical changes.
 *
 * @param factors factor on the amount of a resource; absent: 1. For the CPU: factor on its speed
 * @param responseRatio T_r's limit as a multiple of the present T_r without load
 */
public record ServerModel(Map<Resource, Double> factors, double responseRatio) {

    public ServerModel {
        factors = Map.copyOf(factors);
    }

    /** Returns the present server. */
    public static ServerModel now(double responseRatio) {
        return new ServerModel(Map.of(), responseRatio);
    }

    double factor(Resource resource) {
        return factors.getOrDefault(resource, 1.0);
    }

    /** Returns the factor on CPU speed; a CPU quota is faster by the same factor. */
    double cpuFactor() {
        return factor(Resource.CPU);
    }

    /** Returns this server with more of one resource. */
    ServerModel with(Resource resource, double factor) {
        Map<Resource, Double> other = new EnumMap<>(Resource.class);
        other.putAll(factors);
        other.put(resource, factor);
        return new ServerModel(other, responseRatio);
    }

    double most() {
        return factors.values().stream().mapToDouble(Double::doubleValue).reduce(1, Math::max);
    }
}
