package dev.komainu.central.store;

/** The model fulfils the contract, so it may be the reference for others. */
class ModelStoreTest extends RecordStoreContract {

    @Override
    RecordStore open() {
        return new ModelStore();
    }
}
