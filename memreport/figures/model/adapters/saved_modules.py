"""Modules that are trained whole beside adapters: parameters, bytes, and their share of the gradients."""

from memreport.figures.quantities import Bytes, Count, Share, Switch
from memreport.formula.recording import figure
from memreport.formula.words import larger, total, where


@figure("P_msv", source="PEFT `ModulesToSaveWrapper`")
def saved_module_parameters(
    saves_embed_tokens: Switch,
    embedding_parameters: Count,
    saves_lm_head: Switch,
    head_matrix_parameters: Count,
    saves_norms: Switch,
    norm_parameters: Count,
    saved_parameters: Count,
    trained_rows: Count,
    hidden_size: Count,
) -> Count:
    """What is trained whole beside adapters: embedding, head, norms, others, and rows of an embedding; each a copy."""
    return total(
        where(saves_embed_tokens > 0, embedding_parameters, 0),
        where(saves_lm_head > 0, head_matrix_parameters, 0),
        saves_norms * norm_parameters,
        saved_parameters,
        trained_rows * hidden_size,
    )


@figure("M_msv")
def saved_module_bytes(
    trains_adapters: Switch, saved_module_parameters: Count, saved_module_element_bytes: Bytes
) -> Bytes:
    """Weights of those copies; the frozen ones stay.  Source: PEFT `ModulesToSaveWrapper`, `copy.deepcopy`."""
    return trains_adapters * saved_module_parameters * saved_module_element_bytes


@figure("b_msv", source="PEFT, `cast_adapter_dtype` widens adapters alone")
def saved_module_element_bytes(other_weight_element_bytes: Bytes) -> Bytes:
    """Bytes per weight, gradient and moment of those copies: the type of the frozen one."""
    return other_weight_element_bytes


@figure("M_bes")
def beside_bytes(
    adapter_parameters: Count,
    adapter_element_bytes: Bytes,
    saved_module_parameters: Count,
    saved_module_element_bytes: Bytes,
) -> Bytes:
    """Adapters and whole modules together in bytes; never nothing, as it divides.  Source: sum."""
    return larger(
        adapter_parameters * adapter_element_bytes + saved_module_parameters * saved_module_element_bytes,
        adapter_element_bytes,
    )


@figure("b_bes")
def beside_element_bytes(beside_bytes: Bytes, adapter_parameters: Count, saved_module_parameters: Count) -> Bytes:
    """Bytes per parameter that is trained beside the base, on average.  Source: division."""
    return beside_bytes / larger(adapter_parameters + saved_module_parameters, 1)


@figure("f_bes", source="division")
def adapter_gradient_share(
    trains_base: Switch,
    adapter_parameters: Count,
    prompt_parameters: Count,
    adapter_element_bytes: Bytes,
    beside_bytes: Bytes,
) -> Share:
    """Share of the gradients' bytes that belongs to layers' adapters; where the base is trained, all is shared out."""
    return where(trains_base > 0, 1, (adapter_parameters - prompt_parameters) * adapter_element_bytes / beside_bytes)


@figure("f_pg")
def prompt_gradient_share(
    trains_base: Switch, prompt_parameters: Count, adapter_element_bytes: Bytes, beside_bytes: Bytes
) -> Share:
    """Share of the gradients' bytes that belongs to prompts, the last to come.  Source: division."""
    return where(trains_base > 0, 0, prompt_parameters * adapter_element_bytes / beside_bytes)


@figure("f_hg")
def head_gradient_share(
    trains_base: Switch,
    trains_edges: Switch,
    used_head_parameters: Count,
    trained_base_parameters: Count,
    saves_lm_head: Switch,
    saved_module_element_bytes: Bytes,
    beside_bytes: Bytes,
) -> Share:
    """Share of the gradients' bytes that the head has.  Source: division."""
    return where(
        trains_base > 0,
        trains_edges * used_head_parameters / trained_base_parameters,
        saves_lm_head * used_head_parameters * saved_module_element_bytes / beside_bytes,
    )


@figure("o_hd")
def trains_head(trains_edges: Switch, saves_lm_head: Switch, makes_logits: Switch) -> Switch:
    """1 where the head has a gradient.  Source: PEFT `modules_to_save`."""
    return larger(trains_edges, saves_lm_head) * makes_logits


@figure("P_uh")
def used_head_parameters(makes_logits: Switch, head_matrix_parameters: Count) -> Count:
    """The head's matrix where the loss goes through it.  Source: transformers, heads of sequence classification."""
    return makes_logits * head_matrix_parameters


@figure("o_th")
def shares_used_head(tie_word_embeddings: Switch, unties_head: Switch, makes_logits: Switch) -> Switch:
    """1 where the head that the loss goes through is the embedding's matrix.  Source: HF `tie_word_embeddings`."""
    return tie_word_embeddings * (1 - unties_head) * makes_logits


@figure("o_oh", workload="training")
def has_own_head(makes_logits: Switch, shares_used_head: Switch) -> Switch:
    """1 where the loss goes through a head beside the embedding's matrix.  Source: HF `tie_word_embeddings`."""
    return makes_logits - shares_used_head
