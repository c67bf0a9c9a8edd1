package dev.komainu.central.api.access;

/** Which Komainu this is, as its jar says. */
final class ServiceVersion {

    static final String TEXT = read();

    private ServiceVersion() {}

    private static String read() {
        String version = ServiceVersion.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
