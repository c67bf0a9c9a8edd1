package dev.komainu.central.api;

import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.Resource;
import org.springframework.http.CacheControl;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The endpoint of the API contract (OpenAPI). */
@RestController
class ContractController {

    @GetMapping(value = "/api/v1/openapi.yaml", produces = "application/yaml")
    ResponseEntity<Resource> contract() {
        return ResponseEntity.ok()
                .cacheControl(CacheControl.noCache())
                .body(new ClassPathResource("api/openapi.yaml"));
    }
}
