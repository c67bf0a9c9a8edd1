package dev.komainu.central.api.access;

/** The version of this central service, from its jar. */
final class ServiceVersion {

    static final String TEXT = read();

    private ServiceVersion() {}

    private static String read() {
        String version = ServiceVersion.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
