"""Fields of what is trained beside a frozen base, other than the low-rank adapters on its matrices themselves."""

from __future__ import annotations

from pydantic import field_validator

from memreport.catalogue.fields.dictionary import listed, switch
from memreport.catalogue.fields.target_modules import ExpertMatrix, WholeModule, whole_modules
from memreport.catalogue.fields.training_memory import TrainingMemoryFields


class AdapterFields(TrainingMemoryFields):
    """Options of PEFT's `LoraConfig` beside rank, targets and dropout."""

    target_parameters: tuple[ExpertMatrix, ...] = listed(
        (),
        "matrices of the routed experts that get an adapter for each expert",
        {"lora_experts_gate_up": "mlp.experts.gate_up_proj", "lora_experts_down": "mlp.experts.down_proj"},
    )
    modules_to_save: tuple[WholeModule, ...] = listed(
        (),
        "modules that are trained whole beside the adapters, each as a copy of the frozen one",
        {"saves_embed_tokens": "embed_tokens", "saves_lm_head": "lm_head"},
    )
    use_dora: bool = switch(False, "adapters with a trained magnitude for each output (DoRA)", "PEFT LoraConfig")

    @field_validator("modules_to_save", mode="after")
    @classmethod
    def as_modules(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        """Names of any family become the modules they stand for."""
        return whole_modules(names)
